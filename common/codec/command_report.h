// Defines the report of a server about the commands of a client: the number up to which all of them
// are settled (applied, or kept for a later tick), and how early they arrived.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "common/core/ids.h"

namespace orrery::codec {

// How early commands arrived at the server, in units of 1/16 tick. The margin of one command is the
// time from its arrival until the server closes the tick that the command names: after that, no
// command can enter this tick. The margin of a report is the least margin of all commands that
// named a tick and arrived since the last report, except those that came before while the server
// had no room for them. It is negative if a command was late and went into a later tick.
class CommandMargin {
 public:
  // A tick is this many units.
  static constexpr int kPerTick = 16;

  // Makes a margin without a command.
  constexpr CommandMargin() = default;
  // Makes a margin from a number of units, which is clamped to about +-2,000 ticks.
  constexpr explicit CommandMargin(std::int64_t units)
      : units_(static_cast<std::int16_t>(std::clamp<std::int64_t>(units, -kMax, kMax))) {}

  // Returns the margin in units; nothing if no command arrived.
  constexpr std::optional<int> units() const {
    return units_ == kNone ? std::nullopt : std::optional<int>(units_);
  }
  // Adds another margin: keeps the smaller one.
  constexpr void add(CommandMargin other) {
    if (other.units_ == kNone) return;
    units_ = units_ == kNone ? other.units_ : std::min(units_, other.units_);
  }

  // Returns the number that snapshots carry.
  constexpr std::int16_t to_wire() const { return units_; }
  // Returns the margin for the number in a snapshot. Every number is valid.
  static constexpr CommandMargin from_wire(std::int16_t number) {
    CommandMargin margin;
    margin.units_ = number;
    return margin;
  }

  // Returns the number that reliable messages carry as a varint. Without a command it is 0.
  // Otherwise it is 1 plus the zigzag encoding of the margin: 0, -1, 1, -2 are 0, 1, 2, 3.
  constexpr std::uint64_t to_varint() const {
    if (units_ == kNone) return 0;
    const int n = units_;
    return 1 + static_cast<std::uint64_t>(n < 0 ? -2 * n - 1 : 2 * n);
  }
  // Returns the margin for the number in a reliable message. A number out of range gives a margin
  // without a command.
  static constexpr CommandMargin from_varint(std::uint64_t number) {
    if (number == 0 || number > 2 * kMax + 1) return {};
    const auto zigzag = static_cast<std::int64_t>(number - 1);
    return CommandMargin(zigzag % 2 == 0 ? zigzag / 2 : -(zigzag + 1) / 2);
  }

  friend constexpr bool operator==(CommandMargin, CommandMargin) = default;

 private:
  static constexpr std::int16_t kNone = std::numeric_limits<std::int16_t>::min();
  static constexpr std::int64_t kMax = std::numeric_limits<std::int16_t>::max();

  std::int16_t units_ = kNone;
};

// The report of a server about the commands of a client. The server sends it with each snapshot and
// each datagram of reliable messages.
struct CommandReport {
  Sequence input;        // commands up to this one are applied, or kept for a later tick
  CommandMargin margin;  // of the commands that arrived since the last report
};

}  // namespace orrery::codec

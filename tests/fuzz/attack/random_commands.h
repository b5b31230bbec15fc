// Generates random commands for any scene: valid, invalid and extreme ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "common/world/command.h"
#include "tests/support/command_stream.h"
#include "tests/support/worlds.h"

namespace orrery::attack {

// A generator that combines CommandStream and RandomCommands. It adds sudden bursts of commands,
// and SetParameter. It multiplies the vectors of some commands by 0, by -1, or by very small or
// very large factors. With most seeds, an admin replaces bodies in every tick.
class WildCommands {
 public:
  explicit WildCommands(std::uint64_t seed)
      : room_(seed),
        confused_(seed),
        draw_(seed),
        later_(~seed),
        quiet_(draw_.below(3) == 0),
        replaces_(draw_.below(3) != 0) {}

  // Returns the commands for the next tick of `world`, in order.
  std::vector<Command> next(const World& world);

 private:
  void add_ownership(const World& world, std::vector<Command>& commands);
  void add_driving(const World& world, std::vector<Command>& commands);
  void add_changes(const World& world, std::vector<Command>& commands);
  void add_texts(std::vector<Command>& commands);
  void add_kicks(const World& world, std::vector<Command>& commands);
  CommandPayload parameter();
  void replace_bodies(const World& world, std::vector<Command>& commands);
  void replace_body(const World& world, std::uint32_t slot, std::vector<Command>& commands);
  void exaggerate(Command& command);
  void number(std::vector<Command>& commands);

  CommandStream room_;
  test::RandomCommands confused_;
  SplitMix64 draw_;
  SplitMix64 later_;  // of draws that came later, so that the commands of a seed stay as they are
  const bool quiet_;  // few ticks have other commands, so that bodies come to rest
  const bool replaces_;  // every tick removes bodies and spawns others into their slots
  std::uint32_t sequences_[limits::kClientsMax + 1] = {};
};

}  // namespace orrery::attack

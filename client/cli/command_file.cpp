// Reads the commands of a session from a file of JSON lines (schema/log.md 7.1).
#include "client/cli/command_file.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "client/cli/command_json.h"
#include "client/cli/json_text.h"
#include "common/core/limits.h"
#include "common/core/nearest.h"
#include "common/core/printable.h"
#include "common/host/disk/file.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;
// Maximum length of a line in bytes. It is enough for a tick with the maximum number of commands.
// The limit exists because a line of n bytes takes up to 16 n bytes of memory when it is parsed.
constexpr std::size_t kLineBytesMax = std::size_t{4} << 20;
constexpr std::array<std::string_view, 3> kKeys = {"tick", "commands", "hash"};

// Returns the value of a key; empty if there is none.
std::string_view value_of(std::span<const json::Member> members, std::string_view key) {
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const json::Member& member) { return member.key == key; });
  return at == members.end() ? std::string_view() : at->value;
}

Result<Tick> read_tick(std::string_view text) {
  Tick tick;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), tick.value);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (whole && tick.value > 0) return tick;
  return Error{"tick must be a whole number, at least 1"};
}

}  // namespace

Result<CommandFile> CommandFile::read(const std::string& path) {
  const Result<std::unique_ptr<host::FileSource>> source = host::FileSource::open(path);
  if (!source) return source.error();
  std::vector<std::uint8_t> bytes;
  if (Status status = source.value()->read_up_to(kFileBytesMax + 1, bytes); !status) {
    return status.error();
  }
  const std::string name = printable(path) + ": ";
  if (bytes.size() > kFileBytesMax) {
    return Error{name + "is larger than 64 MiB; give the later ticks to orrery fork"};
  }
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CommandFile file;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t size = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, size);
    rest.remove_prefix(std::min(size + 1, rest.size()));
    const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
    const bool heads_an_export = number == 1 && line.starts_with("{\"session\"");
    if (blank || heads_an_export) continue;
    if (Status status = file.add_line(line); !status) {
      return Error{name + "line " + std::to_string(number) + ": " + status.error().message};
    }
  }
  return file;
}

Status CommandFile::add_line(std::string_view line) {
  if (line.size() > kLineBytesMax) return Error{"is longer than 4 MiB"};
  const auto members = json::members_of(line);
  if (!members) return Error{"must be {\"tick\": N, \"commands\": [...]}"};
  for (const json::Member& member : *members) {
    if (std::find(kKeys.begin(), kKeys.end(), member.key) == kKeys.end()) {
      return Error{"unknown key " + printable(member.key, 40) + suggestion(member.key, kKeys)};
    }
    const bool first = value_of(*members, member.key).data() == member.value.data();
    if (!first) return Error{std::string(member.key) + " is given twice"};
  }
  const Result<Tick> tick = read_tick(value_of(*members, "tick"));
  if (!tick) return tick.error();
  if (tick.value() <= last_) {
    return Error{"tick must be greater than that of the line before, " +
                 std::to_string(last_.value)};
  }
  last_ = tick.value();
  return add_commands(tick.value(), value_of(*members, "commands"));
}

Status CommandFile::add_commands(Tick tick, std::string_view list) {
  const auto items = json::items_of(list);
  if (!items) return Error{"commands must be a list, [...]"};
  if (items->size() > limits::kCommandsPerTickMax) {
    return Error{"a tick has at most " + std::to_string(limits::kCommandsPerTickMax) + " commands"};
  }
  const std::size_t begin = commands_.size();
  for (const std::string_view item : *items) {
    const auto place = static_cast<std::uint32_t>(commands_.size() - begin + 1);
    const Result<Command> command = json::command_of(item, Sequence{place});
    if (!command) return Error{"command " + std::to_string(place) + ": " + command.error().message};
    commands_.push_back(command.value());
  }
  std::stable_sort(commands_.begin() + static_cast<std::ptrdiff_t>(begin), commands_.end(),
                   comes_before);
  if (!items->empty()) ticks_.push_back({tick, begin});
  return ok_status();
}

std::span<const Command> CommandFile::at(Tick tick) const {
  const auto found =
      std::lower_bound(ticks_.begin(), ticks_.end(), tick,
                       [](const TickCommands& entry, Tick t) { return entry.tick < t; });
  if (found == ticks_.end() || found->tick != tick) return {};
  const auto next = std::next(found);
  const std::size_t end = next == ticks_.end() ? commands_.size() : next->begin;
  return std::span(commands_).subspan(found->begin, end - found->begin);
}

}  // namespace orrery::cli

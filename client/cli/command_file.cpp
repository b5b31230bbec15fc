// Reads the commands of a session from a file of JSON lines (schema/log.md 7.1).
#include "client/cli/command_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include "client/cli/command_json.h"
#include "common/core/limits.h"
#include "common/core/nearest.h"
#include "common/core/printable.h"
#include "common/host/disk/file.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;
// Maximum length of a line in bytes. It is enough for a tick with the maximum number of commands.
// The limit exists because a line of n bytes takes up to 20 n bytes of memory when it is parsed.
constexpr std::size_t kLineBytesMax = std::size_t{4} << 20;
constexpr std::array<std::string_view, 3> kKeys = {"tick", "commands", "hash"};

}  // namespace

Result<CommandFile> CommandFile::read(const std::string& path) {
  const Result<std::unique_ptr<host::FileSource>> source = host::FileSource::open(path);
  if (!source) return source.error();
  std::vector<std::uint8_t> bytes;
  if (Status status = source.value()->read_up_to(kFileBytesMax + 1, bytes); !status) {
    return status.error();
  }
  if (bytes.size() > kFileBytesMax) {
    return Error{"is larger than 64 MiB; give the later ticks to orrery fork"}.in(path);
  }
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CommandFile file;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::size_t size = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, size);
    rest.remove_prefix(std::min(size + 1, rest.size()));
    const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
    const bool heads_an_export = number == 1 && line.starts_with("{\"session\"");
    if (blank || heads_an_export) continue;
    if (Status status = file.add_line(line); !status) {
      Error error = status.error().in(path);
      error.place.line = number;
      return error;
    }
  }
  return file;
}

Status CommandFile::add_line(std::string_view line) {
  if (line.size() > kLineBytesMax) return Error{"is longer than 4 MiB"};
  const Result<json::Document> text = json::Document::read(line);
  if (!text) return text.error();
  const json::Value root = text.value().root();
  if (root.kind() != json::Kind::object) {
    return json::error_at(root, "must be {\"tick\": N, \"commands\": [...]}");
  }
  std::array<std::optional<json::Value>, kKeys.size()> values;
  for (const auto& [key, value] : root.members()) {
    const auto known = std::find(kKeys.begin(), kKeys.end(), key.text());
    if (known == kKeys.end()) {
      return json::error_at(key, "unknown key " + key.shown() + suggestion(key.text(), kKeys));
    }
    auto& known_value = values[static_cast<std::size_t>(known - kKeys.begin())];
    if (known_value) return json::error_at(key, std::string(key.text()) + " is given twice");
    known_value = value;
  }
  const json::Value& given_tick = values[0].value_or(root);
  Tick tick;
  if (!json::reads_as(given_tick, tick.value) || tick.value == 0) {
    return json::error_at(given_tick, "tick must be a whole number, at least 1");
  }
  if (tick <= last_) {
    return json::error_at(
        given_tick, "tick must be greater than in the line before, " + std::to_string(last_.value));
  }
  last_ = tick;
  return add_commands(tick, values[1].value_or(root));
}

Status CommandFile::add_commands(Tick tick, const json::Value& list) {
  if (list.kind() != json::Kind::list) {
    return json::error_at(list, "commands must be a list, [...]");
  }
  const std::vector<json::Value> items = list.items();
  if (items.size() > limits::kCommandsPerTickMax) {
    return json::error_at(
        list, "a tick has at most " + std::to_string(limits::kCommandsPerTickMax) + " commands");
  }
  const std::size_t begin = commands_.size();
  for (const json::Value& item : items) {
    const auto place = static_cast<std::uint32_t>(commands_.size() - begin + 1);
    const Result<Command> command = json::command_of(item, Sequence{place});
    if (!command) return command.error().in_item("command", place);
    commands_.push_back(command.value());
  }
  std::stable_sort(commands_.begin() + static_cast<std::ptrdiff_t>(begin), commands_.end(),
                   comes_before);
  if (!items.empty()) ticks_.push_back({tick, begin});
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

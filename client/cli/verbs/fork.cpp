// Implements `orrery fork`: copies a session up to a tick, and continues it with other parameters
// or commands.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "client/cli/command_file.h"
#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/codec/command_codec.h"
#include "common/core/counted.h"
#include "common/core/limits.h"
#include "common/core/printable.h"
#include "common/host/disk/log_file.h"
#include "common/host/process/build.h"
#include "common/host/process/random.h"
#include "common/host/process/terminal.h"
#include "common/session/replay/replay.h"
#include "common/session/writer/log_writer.h"
#include "common/world/step.h"

namespace orrery::cli {
namespace {

struct ForkOptions {
  std::string log;
  std::uint64_t at = 0;
  // last tick; nothing: the end of the log or of the command file, whichever is later
  std::optional<std::uint64_t> ticks;
  std::vector<std::string> settings;  // NAME=VALUE
  std::string commands;               // command file; empty: the commands of the log
  std::string out;
  bool json = false;
};

// Reads numbers separated by commas. Returns nothing if the text has anything else.
std::optional<std::vector<float>> read_numbers(std::string_view text) {
  std::vector<float> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    float number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec != std::errc()) return {};
    numbers.push_back(number);
    if (read.ptr == end) return numbers;
    if (*read.ptr != ',') return {};
    at = read.ptr + 1;
  }
}

// Reads "gravity=0,-1.6,0" or "gravitational_constant=2" as a command.
Result<Command> read_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = std::string_view(text).substr(0, equals);
  const bool gravity = name == "gravity";
  const Error wrong{"--set: " + printable(text) +
                    " is not gravity=X,Y,Z or gravitational_constant=NUMBER"};
  if (equals == std::string::npos || (!gravity && name != "gravitational_constant")) return wrong;
  const auto numbers = read_numbers(std::string_view(text).substr(equals + 1));
  if (!numbers || numbers->size() != (gravity ? 3 : 1)) return wrong;
  command::SetParameter set;
  set.parameter = gravity ? Parameter::gravity : Parameter::gravitational_constant;
  set.value.x = (*numbers)[0];
  if (gravity) set.value = {(*numbers)[0], (*numbers)[1], (*numbers)[2]};
  const Command command{kServer, Sequence{1}, set};
  if (!codec::is_in_range(command))
    return Error::at("--set", ": " + printable(text) + " is out of range");
  return command;
}

// Returns the highest unused client id, or nothing. The fork lets a client with this id join as
// admin, because only an admin may set parameters.
std::optional<ClientId> free_client(World& world, const std::vector<Command>& commands) {
  for (std::uint32_t id = limits::kClientsMax; id > 0; --id) {
    const auto joins = [&](const Command& c) {
      const auto* const join = std::get_if<command::Join>(&c.payload);
      return join && join->client == ClientId{id};
    };
    const bool free = !find_client(world.controls(), ClientId{id});
    if (free && std::none_of(commands.begin(), commands.end(), joins)) return ClientId{id};
  }
  return {};
}

// Numbers the commands of the server from 1 on, because an inserted one needs a free number. A log
// may contain any sequence numbers.
void number_server(std::vector<Command>& commands) {
  std::uint32_t sequence = 0;
  for (Command& command : commands) {
    if (command.client == kServer) command.sequence = Sequence{++sequence};
  }
}

// Adds the settings to the commands of a tick, as commands of an admin, and the join of this admin.
// Returns the admin, or nothing if the tick has no room or no client id is free.
std::optional<ClientId> add_settings(World& world, const std::vector<Command>& settings,
                                     std::vector<Command>& commands) {
  if (commands.size() + settings.size() >= limits::kCommandsPerTickMax) return {};
  const std::optional<ClientId> admin = free_client(world, commands);
  if (!admin) return {};
  const auto others = std::find_if(commands.begin(), commands.end(),
                                   [](const Command& c) { return c.client != kServer; });
  commands.insert(others, {kServer, Sequence{}, command::Join{*admin, Role::admin}});
  number_server(commands);
  std::erase_if(commands, [&](const Command& c) { return c.client == *admin; });
  std::uint32_t sequence = 0;
  for (const Command& setting : settings) {
    commands.push_back({*admin, Sequence{++sequence}, setting.payload});
  }
  std::sort(commands.begin(), commands.end(), comes_before);
  return admin;
}

// Inserts a leave of the client before all other commands of a tick, so that its id becomes free.
// Returns false if the tick has no room.
bool add_leave(ClientId client, std::vector<Command>& commands) {
  if (commands.size() >= limits::kCommandsPerTickMax) return false;
  commands.insert(commands.begin(), {kServer, Sequence{}, command::Leave{client}});
  number_server(commands);
  return true;
}

// The changes that a fork makes to a session.
struct Changes {
  std::uint64_t at = 0;  // last tick that both sessions share
  // last tick; nothing: the end of the log or of `commands`, whichever is later
  std::optional<std::uint64_t> ticks;
  std::vector<Command> settings;
  std::optional<CommandFile> commands;  // nothing: the commands of the log
  std::optional<ClientId> admin;        // the client that joined for the settings

  bool apply_to(Tick tick) const { return tick.value > at; }
  // Returns the last tick of the fork, for a log that ends before this tick.
  std::uint64_t last() const { return ticks.value_or(commands ? commands->last().value : 0); }
};

// Changes the commands of a tick after the fork. Returns false if the tick has no room for the
// settings, or for the leave of the admin that gave them.
bool change(World& world, Changes& changes, session::TickRecord& record) {
  ORRERY_ASSERT(changes.apply_to(record.tick));
  if (changes.commands) {
    const std::span<const Command> commands = changes.commands->at(record.tick);
    record.commands.assign(commands.begin(), commands.end());
  }
  if (changes.settings.empty()) return true;
  if (record.tick.value == changes.at + 1) {
    changes.admin = add_settings(world, changes.settings, record.commands);
    return changes.admin.has_value();
  }
  return record.tick.value != changes.at + 2 || add_leave(*changes.admin, record.commands);
}

struct Steps {
  std::uint64_t refused = 0;  // commands that had no effect
  std::string unsound;        // why the log cannot be forked; empty: it can
  bool has_all = false;       // the log was read to its end
};

// Steps through the log and the ticks after it, and records the result. An Error means that the log
// is too short, has no room for the settings, or cannot be read.
Result<Steps> step_through(LogInput& log, World& world, Changes& changes,
                           session::SessionLog& fork) {
  const std::string name = printable(log.path) + ": ";
  Steps outcome;
  SerialExecutor executor;
  host::ProgressBar progress("fork " + printable(log.path, 40), log.source->size());
  session::TickRecord record;
  const session::LogTail& tail = log.reader->tail();
  const auto next = [&] {
    if (changes.ticks == world.tick().value) return false;
    if (log.reader->next(record)) return true;
    outcome.has_all = true;
    record = {Tick{world.tick().value + 1}, 0, {}};
    return !tail.damaged && !tail.unreadable && changes.apply_to(record.tick) &&
           record.tick.value <= changes.last();
  };
  while (next()) {
    if (record.tick.value != world.tick().value + 1) {
      outcome.unsound = name + "has no ticks " + std::to_string(world.tick().value + 1) + " to " +
                        std::to_string(record.tick.value - 1);
      return outcome;
    }
    const bool changed = changes.apply_to(record.tick);
    if (changed && !change(world, changes, record)) {
      return Error{name + "has too many clients or commands after tick " +
                   std::to_string(changes.at) + " for --set; fork at another tick"};
    }
    step(world, record.commands, executor);
    if (!changed && world.hash() != record.hash) {
      outcome.unsound = name + "diverges at tick " + std::to_string(record.tick.value) +
                        ": replay gives another state than was recorded";
      return outcome;
    }
    outcome.refused += record.commands.size() - world.applied().size();
    if (!fork.append_tick(world)) break;  // the error appears when the file is closed
    progress.show(log.reader->tail().complete_bytes);
  }
  if (tail.unreadable) return *tail.unreadable;
  const std::uint64_t last = world.tick().value;
  if (last > changes.at) return outcome;
  if (last == changes.at) {
    return Error{name + "ends at tick " + std::to_string(last) +
                 "; to continue from there, give --ticks, or --commands with later ticks"};
  }
  return Error::at("--at",
                   ": the last tick of " + printable(log.path) + " is " + std::to_string(last));
}

// Prints the result. `tail` is the end of the original log.
void report_fork(const ForkOptions& options, const World& world, const Steps& outcome,
                 const session::LogTail& tail) {
  if (options.json) {
    json::Object object;
    object.add({{"at", options.at},
                {"ticks", world.tick().value},
                {"hash", json::hash(world.hash())},
                {"refused", outcome.refused}});
    if (outcome.has_all) add_end(options.log, tail, object);
    json::print(object.text());
    return;
  }
  std::printf("%s: %s, forked after tick %llu; hash %s\n", printable(options.out).c_str(),
              counted(world.tick().value, "tick").c_str(),
              static_cast<unsigned long long>(options.at), json::hash(world.hash()).c_str());
  if (outcome.refused > 0) {
    std::printf("%s changed nothing\n", counted(outcome.refused, "command").c_str());
  }
  const std::string end = outcome.has_all ? describe_end(options.log, tail) : "";
  if (!end.empty()) std::printf("%s: %s\n", printable(options.log).c_str(), end.c_str());
}

Result<Changes> requested_changes(const ForkOptions& options) {
  Changes changes;
  changes.at = options.at;
  changes.ticks = options.ticks;
  if (changes.ticks && *changes.ticks <= changes.at) {
    return Error::at("--ticks", ": " + std::to_string(*changes.ticks) +
                                    " must be greater than --at, which is " +
                                    std::to_string(changes.at));
  }
  for (const std::string& text : options.settings) {
    const Result<Command> setting = read_setting(text);
    if (!setting) return setting.error();
    changes.settings.push_back(setting.value());
  }
  if (options.commands.empty()) return changes;
  Result<CommandFile> commands = CommandFile::read(options.commands);
  if (!commands) return commands.error().of_option("--commands");
  changes.commands = std::move(commands.value());
  return changes;
}

int fork_log(const ForkOptions& options) {
  Result<Changes> changes = requested_changes(options);
  if (!changes) return unusable(changes.error().text());
  Result<LogInput> log = open_log(options.log);
  if (!log) return refuse(log.error());
  Result<World> world = session::initial_world(log.value().header);
  const std::string name = printable(options.log) + ": ";
  if (!world) return unusable(name + world.error().text());
  Result<std::unique_ptr<host::LogFile>> file =
      host::LogFile::open(options.out, host::OnFailure::stop);
  if (!file) return unusable("-o: " + file.error().text());
  codec::SessionId session{};
  host::fill_random(session);
  session::SessionLog fork(*file.value(),
                           session::make_log_header(world.value(), host::build_name(), session));
  const Result<Steps> outcome = step_through(log.value(), world.value(), changes.value(), fork);
  fork.close();
  const Status written = file.value()->close();
  const session::LogTail& tail = log.value().reader->tail();
  const bool sound = outcome && outcome.value().unsound.empty() && !tail.damaged;
  if (sound && written) {
    report_fork(options, world.value(), outcome.value(), tail);
    return 0;
  }
  file.value()->discard();
  if (!written) return unusable("-o: " + written.error().text());
  if (tail.damaged) {
    return unusable(name + describe(tail) + "; fork a copy that orrery log repair makes", 1);
  }
  return outcome ? unusable(outcome.value().unsound, 1) : unusable(outcome.error().text());
}

}  // namespace

void add_fork(Verb& program) {
  auto [verb, options] =
      program.add_verb("fork", "Continue a session from one of its ticks, with changes",
                       "  orrery fork a.orrery --at 300 --set gravity=0,0,0 -o floating.orrery\n"
                       "  orrery fork a.orrery --at 300 --commands a.jsonl -o changed.orrery\n"
                       "  orrery fork a.orrery --at 600 --ticks 900 -o longer.orrery",
                       fork_log);
  add_log_argument(verb, options.log);
  verb.option("--at", options.at, "Last tick that the two sessions share")
      .required()
      .ticks()
      .type("TICK");
  verb.option("--ticks", options.ticks, "Stop after tick N")
      .shows_default("the end of the log or of --commands, whichever is later")
      .ticks(1)
      .type("N");
  verb.option("--set", options.settings,
              "Change a parameter after --at: gravity=X,Y,Z or "
              "gravitational_constant=NUMBER")
      .type("NAME=VALUE");
  add_commands(verb, options.commands,
               "Replace the commands of the log after --at by those in this file: JSON lines, as "
               "`orrery log export` prints them");
  add_new_file(verb, "-o", options.out, "Write the log of the new session to this file").required();
  add_json(verb, options.json);
}

}  // namespace orrery::cli

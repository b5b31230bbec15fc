// Implements `orrery log info` and `orrery log check`, which read a whole log: its contents, and
// whether it is intact.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/render/drift.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/log/log.h"
#include "common/core/counted.h"
#include "common/core/printable.h"
#include "common/host/disk/log_seal.h"
#include "common/host/net/key_file.h"
#include "common/host/process/failure.h"
#include "common/session/replay/replay.h"
#include "common/session/versions.h"
#include "common/session/writer/log_writer.h"

namespace orrery::cli {
namespace {

struct LogOptions {
  std::string log;
  std::string seal_key;  // key file (common/host/net/key_file.h); empty: do not check seals
  bool json = false;
};

// A summary of the records of a log.
struct Contents {
  std::uint64_t ticks = 0;
  std::uint64_t commands = 0;
  std::uint64_t tick_bytes = 0;  // size of the tick records
  std::uint64_t checkpoints = 0;
  std::uint64_t checkpoint_bytes = 0;
  std::uint64_t hash = 0;  // state hash of the last tick
  session::LogTail tail;
  std::vector<session::RecordedBy> builds;
};

// Reads the whole log. Passes each checkpoint to `drift` and each record to `seals`; either may be
// null.
Contents read_all(LogInput& input, Drift* drift, host::SealCheck* seals) {
  session::LogReader& log = *input.reader;
  Contents contents;
  contents.hash = input.header.initial_hash;
  if (seals) seals->add(session::RecordType::header, log);
  session::TickRecord record;
  session::Checkpoint checkpoint;
  std::uint64_t before = log.tail().complete_bytes;
  while (const std::optional<session::RecordType> type = log.next_record(record, checkpoint)) {
    if (seals) seals->add(*type, log);
    const std::uint64_t bytes = log.tail().complete_bytes - before;
    before = log.tail().complete_bytes;
    if (session::is_tick(*type)) {
      ++contents.ticks;
      contents.commands += record.commands.size();
      contents.tick_bytes += bytes;
      contents.hash = record.hash;
    } else if (*type == session::RecordType::checkpoint) {
      ++contents.checkpoints;
      contents.checkpoint_bytes += bytes;
      if (drift) drift->add(checkpoint, contents.hash);
    }
  }
  contents.tail = log.tail();
  contents.builds = log.builds();
  return contents;
}

// Returns the builds that continued the session, as JSON.
json::Text later_builds(const std::vector<session::RecordedBy>& builds) {
  std::vector<json::Text> items;
  for (std::size_t i = 1; i < builds.size(); ++i) {
    items.push_back(json::object({{"from", builds[i].from.value}, {"build", builds[i].build}}));
  }
  return json::array(items);
}

json::Text to_json(const std::vector<host::SealedLate>& late) {
  std::vector<json::Text> items;
  for (const host::SealedLate& ticks : late) {
    items.push_back(json::object({{"from", ticks.first.value}, {"to", ticks.last.value}}));
  }
  return json::array(items);
}

void print_tail(const std::string& path, const Contents& contents) {
  std::printf(
      "%s: %s in %s, hash %s\n", printable(path).c_str(), counted(contents.ticks, "tick").c_str(),
      counted(contents.tail.segment + 1, "segment").c_str(), json::hash(contents.hash).c_str());
  const std::string tail = describe_end(path, contents.tail);
  if (!tail.empty()) std::printf("  %s\n", tail.c_str());
}

void print_info(const codec::LogHeader& header, const Scene& scene, const Contents& c,
                const std::optional<Drift>& drift) {
  std::printf("session %s\nscene %s, %s, %u Hz\nrecorded by %s, rules %u\n",
              json::hex(header.session).c_str(), scene.name.c_str(),
              counted(scene.bodies.size(), "body", "bodies").c_str(), scene.tick_rate,
              printable(header.build).c_str(), header.rules);
  for (std::size_t i = 1; i < c.builds.size(); ++i) {
    std::printf("continued from tick %llu on by %s\n",
                static_cast<unsigned long long>(c.builds[i].from.value),
                printable(c.builds[i].build).c_str());
  }
  if (!header.fault.empty()) {
    std::printf("broken on purpose: --break %s\n", printable(header.fault).c_str());
  }
  const auto ticks = static_cast<double>(std::max<std::uint64_t>(c.ticks, 1));
  std::printf("%s, %.1f s, %s; %.1f bytes per tick\n", counted(c.ticks, "tick").c_str(),
              static_cast<double>(c.ticks) / scene.tick_rate,
              counted(c.commands, "command").c_str(), static_cast<double>(c.tick_bytes) / ticks);
  std::printf("%s, %llu bytes\n", counted(c.checkpoints, "checkpoint").c_str(),
              static_cast<unsigned long long>(c.checkpoint_bytes));
  if (drift) {
    drift->print();
  } else {
    std::printf("energy and momentum unknown: recorded under %s\n",
                session::other_rules(header.rules).c_str());
  }
}

void add_info(const codec::LogHeader& header, const Scene& scene, const Contents& c,
              const std::optional<Drift>& drift, json::Object& object) {
  object.add({{"session", json::hex(header.session)},
              {"scene", scene.name},
              {"bodies", scene.bodies.size()},
              {"rules", header.rules},
              {"build", header.build},
              {"later_builds", later_builds(c.builds)},
              {"fault", header.fault.empty() ? json::null() : json::of(header.fault)},
              {"tick_rate", scene.tick_rate},
              {"commands", c.commands},
              {"tick_bytes", c.tick_bytes},
              {"checkpoints", c.checkpoints},
              {"checkpoint_bytes", c.checkpoint_bytes},
              {"drift", drift ? drift->json() : json::null()}});
}

const char* name_of(host::SealVerdict seal) {
  constexpr const char* kNames[] = {"intact", "unfinished", "unsealed", "broken", "loose"};
  return kNames[static_cast<std::size_t>(seal)];
}

// Implements both verbs. If `info` is true, also prints the contents of the log. If `key` is not
// null, also checks the seals.
int show(const LogOptions& options, bool info, const net::Key* key) {
  Result<LogInput> opened = open_log(options.log);
  if (!opened) return refuse(opened.error());
  const codec::LogHeader& header = opened.value().header;
  const Result<Scene> scene = session::recorded_scene(header);
  if (!scene) return unusable(printable(options.log) + ": " + scene.error().text());
  std::optional<Drift> drift;
  // a null `world`: the log has another rules version, so this build cannot step it
  if (Result<World> world = session::initial_world(header); info && world) {
    drift.emplace(header, std::move(world.value()));
  }
  std::optional<host::SealCheck> seals;
  if (key) seals.emplace(*key, session::kCheckpointSeconds * scene.value().tick_rate);
  const Contents contents =
      read_all(opened.value(), drift ? &*drift : nullptr, seals ? &*seals : nullptr);
  if (contents.tail.unreadable) return unusable(contents.tail.unreadable->text());
  // Steps from the last checkpoint to the end. A pipe cannot be read twice, so its drift ends at
  // the last checkpoint.
  if (drift && opened.value().reader->go_to_start()) {
    if (Status read = drift->step_to(contents.tail.tick, options.log); !read) {
      return unusable(read.error().text());
    }
  }
  std::optional<host::SealReport> seal;
  if (seals) seal = seals->finish(contents.tail);
  const bool sound = !contents.tail.damaged && (!drift || drift->unknown().empty()) &&
                     (!seal || seal->verdict == host::SealVerdict::intact);
  const int exit_code = sound ? 0 : 1;
  if (!options.json) {
    if (info) print_info(header, scene.value(), contents, drift);
    print_tail(options.log, contents);
    if (seal) std::printf("  %s\n", host::to_line(*seal).c_str());
    return exit_code;
  }
  json::Object object;
  if (info) add_info(header, scene.value(), contents, drift, object);
  object.add({{"ticks", contents.ticks}, {"hash", json::hash(contents.hash)}});
  add_end(options.log, contents.tail, object);
  if (seal) {
    object.add({{"seal", name_of(seal->verdict)},
                {"sealed_ticks", seal->proved},
                {"sealed_at_resume", to_json(seal->late)}});
  }
  json::print(object.text());
  return exit_code;
}

int log_info(const LogOptions& options) { return show(options, true, nullptr); }

int log_check(const LogOptions& options) {
  if (options.seal_key.empty()) return show(options, false, nullptr);
  host::forbid_core_dumps();
  const Result<host::KeyFile> key = host::read_key_file(options.seal_key);
  if (!key) return unusable("--seal-key: " + key.error().text());
  return show(options, false, &key.value().key);
}

}  // namespace

void add_log_info(Verb& log) {
  auto [verb, options] =
      log.add_verb("info", "Show the contents of a log, and its drift of energy and momentum",
                   "  orrery log info a.orrery", log_info);
  add_log_argument(verb, options.log);
  add_json(verb, options.json);
}

void add_log_check(Verb& log) {
  auto [verb, options] =
      log.add_verb("check", "Check that every record of a log is intact and in place",
                   "  orrery log check a.orrery\n"
                   "  orrery log check sealed.orrery --seal-key seal.key",
                   log_check);
  add_log_argument(verb, options.log);
  add_json(verb, options.json);
  add_seal_key(verb, options.seal_key,
               "Check too that the log was sealed with the key in this file, which proves that "
               "nobody changed the log");
}

}  // namespace orrery::cli

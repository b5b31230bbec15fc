// Implements `orrery verify`: replays logs and compares every state hash.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/render/divergence_page.h"
#include "client/cli/render/divergence_text.h"
#include "client/cli/stopwatch.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/counted.h"
#include "common/core/limits.h"
#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"
#include "common/host/process/build.h"
#include "common/host/process/placement.h"
#include "common/host/process/sound_thread.h"
#include "common/host/process/terminal.h"
#include "common/host/process/tick_threads.h"
#include "common/session/explain/explanation.h"
#include "common/session/replay/replay.h"

namespace orrery::cli {
namespace {

struct VerifyOptions {
  std::vector<std::string> logs;
  std::string report;         // page to write; empty: none
  std::uint32_t jobs = 1;     // logs at the same time
  std::uint32_t threads = 1;  // most threads for each log
  bool json = false;
};

// The result for one log.
struct Outcome {
  int exit_code = 0;
  Problem error;  // why the log cannot be verified; nothing: it was verified
  // the build that recorded the first divergent tick; if none diverged, the build that began the
  // log
  std::string build;
  session::Verification found;
  // the first divergent tick; a is the recorded session, b the replay
  std::optional<session::Explanation> explained;
  double seconds = 0;
  double speedup = 0;  // duration of the session divided by the duration of the replay
};

Outcome fail(Error error) {
  Outcome outcome;
  outcome.exit_code = exit_code_of(error);
  outcome.found.tail.damaged = outcome.exit_code == 1;
  outcome.error = std::move(error);
  return outcome;
}

constexpr std::uint64_t kParts = 1000;  // steps of the progress bar for one log

// Verifies a log. Calls `progress` with the number of parts that are done, up to kParts.
Outcome verify_file(const std::string& path, const std::function<void(std::uint64_t)>& progress,
                    Executor& executor) {
  const Result<LogInput> opened = open_log(path);
  if (!opened) return fail(opened.error());
  const LogInput& log = opened.value();
  Result<World> world = session::initial_world(log.header);
  if (!world) return fail(world.error().in(path));

  Outcome outcome;
  const std::uint64_t size = log.source->size();
  const Stopwatch watch;
  outcome.found = session::verify(*log.reader, log.header, world.value(), executor, [&] {
    if (size > 0) progress(std::min(kParts, log.reader->tail().complete_bytes * kParts / size));
  });
  outcome.seconds = watch.seconds();
  outcome.build =
      session::build_of(log.reader->builds(), Tick{outcome.found.first_divergent_tick.value_or(0)});
  const auto& unreadable = log.reader->tail().unreadable;
  if (unreadable && !outcome.found.first_divergent_tick) return fail(*unreadable);
  const std::uint32_t rate = world.value().scene().tick_rate;
  outcome.speedup = static_cast<double>(world.value().tick().value) / rate / outcome.seconds;
  outcome.exit_code = outcome.found.sound() ? 0 : 1;
  if (outcome.found.first_divergent_tick) {
    Result<session::Explanation> why = session::explain_replay(
        host::segments_of(path), outcome.found, host::build_name(), executor);
    if (why) outcome.explained.emplace(std::move(why.value()));
  }
  return outcome;
}

json::Object outcome_json(const std::string& file, const Outcome& outcome) {
  const session::Verification& found = outcome.found;
  const auto& divergent = found.first_divergent_tick;
  json::Object object;
  object.add({{"ticks", found.ticks},
              {"verified", found.verified},
              {"first_divergent_tick", divergent},
              {"hash", outcome.error ? json::null() : json::of(json::hash(found.hash))},
              {"seconds", outcome.seconds},
              {"speedup", outcome.speedup}});
  add_end(file, found.tail, object);
  if (outcome.explained) {
    json::Object divergence;
    add_divergence(*outcome.explained, divergence);
    object.add("divergence", divergence.text());
  }
  return object;
}

void print_outcome(const std::string& file, const Outcome& outcome) {
  const std::string path = printable(file);
  const session::Verification& found = outcome.found;
  if (found.first_divergent_tick) {
    std::printf("%s: diverges at tick %llu of %llu\n", path.c_str(),
                static_cast<unsigned long long>(*found.first_divergent_tick),
                static_cast<unsigned long long>(found.ticks));
    if (outcome.explained) {
      std::printf("a is the recorded session, b is its replay by this build\n");
      print_divergence(*outcome.explained);
    }
  } else {
    std::printf("%s: %s verified, hash %s, %.3f s, %.0f times real time\n", path.c_str(),
                counted(found.verified, "tick").c_str(), json::hash(found.hash).c_str(),
                outcome.seconds, outcome.speedup);
  }
  const std::string tail = describe_end(file, found.tail);
  if (!tail.empty()) std::printf("%s: %s\n", path.c_str(), tail.c_str());
}

void report_one(const std::string& file, const Outcome& outcome) {
  if (outcome.error) {
    unusable(outcome.error->text());
  } else {
    print_outcome(file, outcome);
  }
}

Status write_report(const VerifyOptions& options, const Outcome& outcome) {
  if (options.report.empty()) return ok_status();
  return write_divergence_film(options.report, outcome.explained, {options.logs[0], outcome.build},
                               {"replay", host::build_name()}, options.logs);
}

int verify_one(const VerifyOptions& options) {
  host::TickThreads pool(options.threads);
  host::ProgressBar bar("verify " + printable(options.logs[0], 40), kParts);
  const auto show = [&](std::uint64_t parts) { bar.show(parts); };
  const Outcome outcome = verify_file(options.logs[0], show, pool);
  bar.clear();
  if (outcome.error) {
    unusable(outcome.error->text());
  } else if (Status status = write_report(options, outcome); !status) {
    return unusable("--report: " + status.error().text());
  }
  if (!options.json) {
    if (!outcome.error) print_outcome(options.logs[0], outcome);
    return outcome.exit_code;
  }
  if (outcome.exit_code != 2) json::print(outcome_json(options.logs[0], outcome).text());
  return outcome.exit_code;
}

// Verifies the logs, `jobs` at the same time. Calls take(file, outcome) once for each log, in the
// order of options.logs.
void verify_all(const VerifyOptions& options, host::ProgressBar& bar, auto take) {
  const auto logs = static_cast<std::uint32_t>(options.logs.size());
  const std::uint32_t threads = host::threads_of_each(options.threads, std::min(options.jobs, logs),
                                                      host::Placement().processors());
  std::atomic<std::uint64_t> done{0};  // parts of all logs
  std::vector<std::packaged_task<Outcome()>> tasks;
  for (const std::string& file : options.logs) {
    tasks.emplace_back([&] {
      host::TickThreads pool(threads);
      std::uint64_t told = 0;
      const auto tell = [&](std::uint64_t parts) {
        if (parts != told) done += parts - std::exchange(told, parts);
      };
      Outcome outcome = verify_file(file, tell, pool);
      tell(kParts);
      return outcome;
    });
  }
  std::vector<std::future<Outcome>> outcomes;
  for (auto& task : tasks) outcomes.push_back(task.get_future());
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> workers;
  for (std::uint32_t i = 0; i < options.jobs; ++i) {
    workers.push_back(host::start_checked_thread([&] {
      for (std::size_t k = next++; k < tasks.size(); k = next++) tasks[k]();
    }));
  }
  constexpr auto kBetween = std::chrono::milliseconds(100);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    bar.show(done);
    while (outcomes[i].wait_for(kBetween) != std::future_status::ready) bar.show(done);
    take(options.logs[i], outcomes[i].get());
  }
}

int verify(const VerifyOptions& options) {
  ORRERY_ASSERT(!options.logs.empty());
  if (options.logs.size() == 1) return verify_one(options);
  if (!options.report.empty()) {
    return unusable("--report: is about one log, but " + std::to_string(options.logs.size()) +
                    " are given; give one");
  }
  std::vector<json::Text> items;
  std::uint64_t failed = 0;
  int exit_code = 0;
  host::ProgressBar bar("verify " + counted(options.logs.size(), "log"),
                        options.logs.size() * kParts);
  verify_all(options, bar, [&](const std::string& file, const Outcome& outcome) {
    // The exit code 1 (a check failed) takes precedence over 2 (a file could not be checked).
    if (exit_code != 1 && outcome.exit_code != 0) exit_code = outcome.exit_code;
    failed += outcome.exit_code == 0 ? 0 : 1;
    if (!options.json || outcome.error) bar.clear();
    if (!options.json) {
      report_one(file, outcome);
      return;
    }
    if (outcome.error) unusable(outcome.error->text());
    json::Object item = outcome_json(file, outcome);
    item.add("file", file);
    if (outcome.error) {
      item.add({{"error", outcome.error->text()}, {"code", name_of(outcome.error->code)}});
    }
    items.push_back(item.text());
  });
  bar.clear();
  if (options.json) {
    json::print(json::object({{"logs", json::array(items)}, {"failed", failed}}));
  }
  return exit_code;
}

}  // namespace

void add_verify(Verb& program) {
  auto [verb, options] =
      program.add_verb("verify", "Replay session logs and compare the hash of every state",
                       "  orrery verify a.orrery\n"
                       "  orrery verify a.orrery b.orrery --jobs 2 --json\n"
                       "  orrery verify b.orrery --report b.html",
                       verify);
  verb.option("LOG", options.logs, "Session logs: the first file of each").required();
  verb.option("-j,--jobs", options.jobs, "Number of logs to verify at the same time")
      .shows_default()
      .whole_number(1, limits::kThreadsMax)
      .type("N");
  add_report(verb, options.report);
  add_threads(verb, options.threads);
  add_json(verb, options.json);
}

}  // namespace orrery::cli

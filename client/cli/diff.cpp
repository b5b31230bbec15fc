// Owns `orrery diff`: the first tick, body and field where two sessions differ.
#include <cstdio>

#include "client/cli/counted.h"
#include "client/cli/divergence_page.h"
#include "client/cli/divergence_text.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/verbs.h"
#include "common/core/printable.h"
#include "common/host/terminal.h"
#include "common/host/thread_pool.h"
#include "common/session/replay.h"

namespace orrery {
namespace {

struct Comparison {
  std::uint64_t ticks = 0;         // that are equal
  std::optional<Explained> found;  // nothing: the sessions are equal
};

Explained at_tick(Tick tick, Cause cause, std::string why) {
  Explained out;
  out.divergence.tick = tick;
  out.divergence.cause = cause;
  out.divergence.why = std::move(why);
  return out;
}

// What a person needs to see that two scenes are not one.
std::string about_scene(const char* name, const LogHeader& header) {
  const Result<Scene> scene = recorded_scene(header);
  if (!scene) return std::string(name) + " " + scene.error().message;
  return std::string(name) + " is of " + scene.value().name + ", " +
         std::to_string(scene.value().bodies.size()) + " bodies at " +
         std::to_string(scene.value().tick_rate) + " Hz";
}

// What is known before any tick is read.
std::optional<Explained> compare_headers(const LogHeader& a, const LogHeader& b,
                                         Executor& executor) {
  if (a.scene != b.scene) {
    return at_tick({}, Cause::scene,
                   "two scenes cannot be compared tick by tick: " + about_scene("a", a) + "; " +
                       about_scene("b", b));
  }
  if (a.initial_hash == b.initial_hash) return {};
  if (a.rules != b.rules) {
    return at_tick({}, Cause::rules,
                   "a was recorded under rules " + std::to_string(a.rules) + ", b under rules " +
                       std::to_string(b.rules));
  }
  const Account account_a{{}, a.initial_hash, a.build, ""};
  const Account account_b{{}, b.initial_hash, b.build, ""};
  return Explained{{}, explain(nullptr, {}, account_a, account_b, executor)};
}

Explained compare_lengths(const LogDifference& difference) {
  const char* const shorter = difference.a ? "b" : "a";
  const std::string ticks = std::to_string(difference.tick.value - 1);
  return at_tick(difference.tick, Cause::length,
                 std::string(shorter) + " ends after " + ticks + " ticks, which are equal");
}

Comparison compare(LogInput& a, LogInput& b, Executor& executor) {
  Comparison out;
  out.found = compare_headers(a.header, b.header, executor);
  if (out.found) return out;
  std::optional<LogDifference> difference;
  {
    ProgressBar progress("diff", a.file->size());
    difference = first_difference(*a.reader, *b.reader, [&] {
      ++out.ticks;
      progress.show(a.reader->bytes_read());
    });
  }
  if (!difference) return out;
  const bool both = difference->a && difference->b;
  out.found = both ? explain_logs(a, b, *difference, executor) : compare_lengths(*difference);
  return out;
}

PageLog page_log(const LogInput& log) { return {log.path, log.header.build}; }

void print(const DiffOptions& options, const Comparison& comparison) {
  std::printf("a  %s\nb  %s\n", printable(options.a).c_str(), printable(options.b).c_str());
  if (!comparison.found) {
    std::printf("equal: %s\n", counted(comparison.ticks, "tick").c_str());
    return;
  }
  const Divergence& found = comparison.found->divergence;
  if (found.cause == Cause::scene) {
    std::printf("they differ before the first tick\n");
  } else {
    std::printf("they differ from tick %llu on\n",
                static_cast<unsigned long long>(found.tick.value));
  }
  print_divergence(*comparison.found);
}

}  // namespace

int diff(const DiffOptions& options) {
  Result<LogInput> a = open_log(options.a);
  if (!a) return unusable(a.error().message);
  Result<LogInput> b = open_log(options.b);
  if (!b) return unusable(b.error().message);
  ThreadPool pool(options.threads);
  const Comparison comparison = compare(a.value(), b.value(), pool);
  for (const LogInput* log : {&a.value(), &b.value()}) {
    const auto& unreadable = log->reader->tail().unreadable;
    if (unreadable) return unusable(unreadable->message);
  }
  if (!options.report.empty() && comparison.found) {
    const std::string page =
        divergence_page(*comparison.found, page_log(a.value()), page_log(b.value()));
    if (Status status = write_page(options.report, page); !status) {
      return unusable("--report: " + status.error().message);
    }
  }
  if (!options.json) {
    print(options, comparison);
    return comparison.found ? 1 : 0;
  }
  json::Object object;
  object.add("equal", json::of(!comparison.found));
  if (comparison.found) {
    add_divergence(*comparison.found, object);
  } else {
    for (const char* name : {"tick", "body", "field", "a", "b", "ulps", "cause"}) {
      object.add(name, json::null());
    }
  }
  object.add("equal_ticks", json::of(comparison.ticks));
  std::printf("%s\n", object.text().c_str());
  return comparison.found ? 1 : 0;
}

}  // namespace orrery

// Implements `orrery diff`: the first tick, body and field in which two sessions differ.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/render/counted.h"
#include "client/cli/render/divergence_page.h"
#include "client/cli/render/divergence_text.h"
#include "client/cli/render/tail_text.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/fill_in.h"
#include "common/core/printable.h"
#include "common/host/process/terminal.h"
#include "common/host/process/thread_pool.h"
#include "common/session/replay/replay.h"
#include "common/session/versions.h"

namespace orrery::cli {
namespace {

struct DiffOptions {
  std::string a;
  std::string b;
  std::string report;  // page to write; empty: none
  std::uint32_t threads = 1;
  bool json = false;
};

struct Comparison {
  std::uint64_t ticks = 0;                 // equal ticks
  std::optional<Explained> found;          // none: the sessions are equal
  std::optional<session::LogTail> tail_a;  // present if both logs were read to their ends
  std::optional<session::LogTail> tail_b;
};

Explained at_tick(Tick tick, session::Cause cause, std::string why) {
  Explained out;
  out.divergence.tick = tick;
  out.divergence.cause = cause;
  out.divergence.why = std::move(why);
  return out;
}

// Describes the scene of a log, to show how two scenes differ.
std::string about_scene(const char* name, const codec::LogHeader& header) {
  const Result<Scene> scene = session::recorded_scene(header);
  if (!scene) return fill_in("{} {}", {name, scene.error().message});
  return fill_in("{} is of {}, {} bodies at {} Hz",
                 {name, scene.value().name, std::to_string(scene.value().bodies.size()),
                  std::to_string(scene.value().tick_rate)});
}

std::string about_rules(const char* name, const codec::LogHeader& header) {
  const bool ours = header.rules == kRulesVersion;
  return fill_in("{} was recorded under {}",
                 {name, ours ? "the rules of this build" : session::other_rules(header.rules)});
}

// Compares the headers. Returns nothing if the ticks must be compared too.
std::optional<Explained> compare_headers(const codec::LogHeader& a, const codec::LogHeader& b,
                                         Executor& executor) {
  if (a.scene != b.scene) {
    return at_tick({}, session::Cause::scene,
                   fill_in("two scenes cannot be compared tick by tick: {}; {}",
                           {about_scene("a", a), about_scene("b", b)}));
  }
  if (a.initial_hash == b.initial_hash) return {};
  if (a.rules != b.rules) {
    return at_tick({}, session::Cause::rules,
                   fill_in("{}; {}", {about_rules("a", a), about_rules("b", b)}));
  }
  const session::TickSide account_a{{}, a.initial_hash, a.build, ""};
  const session::TickSide account_b{{}, b.initial_hash, b.build, ""};
  return Explained{{}, session::explain(nullptr, {}, account_a, account_b, executor)};
}

session::LogTail read_to_end(session::LogReader& log) {
  for (session::TickRecord record; log.next(record);) {
  }
  return log.tail();
}

std::string how_it_ends(const char* name, const std::string& path, const session::LogTail& tail) {
  const std::string tick = std::to_string(tail.tick.value);
  const std::string end = describe_end_for_json(path, tail);
  if (end.empty()) return fill_in("{} ends behind tick {}", {name, tick});
  return fill_in("{} ends behind tick {} ({})", {name, tick, end});
}

// Compares how the logs end, after all ticks that both have were equal. Returns nothing if both are
// undamaged and equally long.
std::optional<Explained> compare_ends(const std::optional<session::LogDifference>& difference,
                                      const LogInput& a, const LogInput& b) {
  const session::LogTail& tail_a = a.reader->tail();
  const session::LogTail& tail_b = b.reader->tail();
  if (!difference && !tail_a.damaged && !tail_b.damaged) return {};
  const Tick behind_both{std::min(tail_a.tick, tail_b.tick).value + 1};
  return at_tick(difference ? difference->tick : behind_both, session::Cause::length,
                 fill_in("the ticks that both have are equal; {}, {}",
                         {how_it_ends("a", a.path, tail_a), how_it_ends("b", b.path, tail_b)}));
}

Comparison compare(LogInput& a, LogInput& b, Executor& executor) {
  Comparison out;
  out.found = compare_headers(a.header, b.header, executor);
  if (out.found) return out;
  std::optional<session::LogDifference> difference;
  {
    host::ProgressBar progress("diff", a.file->size());
    difference = session::first_difference(*a.reader, *b.reader, a.header.initial_hash, [&] {
      ++out.ticks;
      progress.show(a.reader->bytes_read());
    });
  }
  if (difference && difference->a && difference->b) {
    out.found = explain_logs(a, b, *difference, executor);
    return out;
  }
  out.tail_a = read_to_end(*a.reader);
  out.tail_b = read_to_end(*b.reader);
  out.found = compare_ends(difference, a, b);
  return out;
}

std::string to_json(const std::string& path, const std::optional<session::LogTail>& tail) {
  json::Object object;
  return tail ? add_end(path, *tail, object).text() : json::null();
}

PageLog page_log(const LogInput& log, Tick tick) { return {log.path, log.reader->build_of(tick)}; }

// Prints how a log ends, one of two that are equal up to an end.
void print_end(const char* name, const std::string& path, const session::LogTail& tail) {
  const std::string end = describe_end(path, tail);
  const std::string tick = std::to_string(tail.tick.value);
  std::printf("  %s        %s\n", name,
              end.empty() ? ("ends after tick " + tick).c_str() : end.c_str());
}

void print(const DiffOptions& options, const Comparison& comparison) {
  std::printf("a  %s\nb  %s\n", printable(options.a).c_str(), printable(options.b).c_str());
  if (!comparison.found) {
    std::printf("equal: %s\n", counted(comparison.ticks, "tick").c_str());
    const std::string end_a = describe_end(options.a, *comparison.tail_a);
    const std::string end_b = describe_end(options.b, *comparison.tail_b);
    if (!end_a.empty()) std::printf("a  %s\n", end_a.c_str());
    if (!end_b.empty()) std::printf("b  %s\n", end_b.c_str());
    return;
  }
  const session::Divergence& found = comparison.found->divergence;
  if (found.cause == session::Cause::scene) {
    std::printf("they differ before the first tick\n");
  } else {
    const bool goes_on = found.cause != session::Cause::checkpoint;
    std::printf(goes_on ? "they differ from tick %llu on\n" : "they differ at tick %llu\n",
                static_cast<unsigned long long>(found.tick.value));
  }
  if (found.cause != session::Cause::length) return print_divergence(*comparison.found);
  std::printf("  cause    length: the ticks that both have are equal\n");
  print_end("a", options.a, *comparison.tail_a);
  print_end("b", options.b, *comparison.tail_b);
}

int diff(const DiffOptions& options) {
  int exit_code = 0;
  Result<LogInput> a = open_log(options.a, &exit_code);
  if (!a) return unusable(a.error().message, exit_code);
  Result<LogInput> b = open_log(options.b, &exit_code);
  if (!b) return unusable(b.error().message, exit_code);
  host::ThreadPool pool(options.threads);
  const Comparison comparison = compare(a.value(), b.value(), pool);
  for (const LogInput* log : {&a.value(), &b.value()}) {
    const auto& unreadable = log->reader->tail().unreadable;
    if (unreadable) return unusable(unreadable->message);
  }
  if (!options.report.empty()) {
    const Tick tick = comparison.found ? comparison.found->divergence.tick : Tick{};
    const Status written = write_divergence_page(
        options.report, comparison.found, page_log(a.value(), tick), page_log(b.value(), tick));
    if (!written) return unusable("--report: " + written.error().message);
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
  object.add("equal_ticks", json::of(comparison.ticks))
      .add("tail_a", to_json(options.a, comparison.tail_a))
      .add("tail_b", to_json(options.b, comparison.tail_b));
  std::printf("%s\n", object.text().c_str());
  return comparison.found ? 1 : 0;
}

}  // namespace

void add_diff(Verb& program) {
  auto [verb, options] = program.add_verb(
      "diff", "Find the first tick, body and field in which two session logs differ",
      "  orrery diff a.orrery b.orrery\n"
      "  orrery diff a.orrery b.orrery --report diff.html",
      diff);
  verb.option("A", options.a, "Session log, called a in the result").required().type("LOG");
  verb.option("B", options.b, "Session log to compare with, called b in the result")
      .required()
      .type("LOG");
  add_report(verb, options.report);
  add_threads(verb, options.threads);
  add_json(verb, options.json);
}

}  // namespace orrery::cli

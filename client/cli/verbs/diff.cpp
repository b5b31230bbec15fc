// Implements `orrery diff`: the first tick, body and field in which two sessions differ.
#include <cstdio>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/render/divergence_page.h"
#include "client/cli/render/divergence_text.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/counted.h"
#include "common/core/printable.h"
#include "common/host/disk/log_lock.h"
#include "common/host/process/terminal.h"
#include "common/host/process/tick_threads.h"
#include "common/session/explain/explanation.h"

namespace orrery::cli {
namespace {

struct DiffOptions {
  std::string a;
  std::string b;
  std::string report;  // page to write; empty: none
  std::uint32_t threads = 1;
  bool json = false;
};

session::ComparedLog compared(const LogInput& log) {
  const auto is_being_written = [path = log.path] { return host::is_being_written(path); };
  return {log, is_being_written};
}

session::LogComparison compare(const LogInput& a, const LogInput& b, Executor& executor) {
  host::ProgressBar progress("diff", a.source->size());
  return session::compare_logs(compared(a), compared(b), executor,
                               [&] { progress.show(a.reader->tail().complete_bytes); });
}

json::Text tail_json(const std::string& path, const std::optional<session::LogTail>& tail) {
  json::Object object;
  return tail ? add_end(path, *tail, object).text() : json::null();
}

PageLog page_log(const LogInput& log, Tick tick) {
  return {log.path, session::build_of(log.reader->builds(), tick)};
}

// Prints how a log ends. Used if the two logs are equal up to the end of the shorter one.
void print_end(const char* name, const std::string& path, const session::LogTail& tail) {
  const std::string end = describe_end(path, tail);
  const std::string tick = std::to_string(tail.tick.value);
  std::printf("  %s        %s\n", name,
              end.empty() ? ("ends after tick " + tick).c_str() : end.c_str());
}

void print_comparison(const DiffOptions& options, const session::LogComparison& comparison) {
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
  Result<LogInput> a = open_log(options.a);
  if (!a) return refuse(a.error());
  Result<LogInput> b = open_log(options.b);
  if (!b) return refuse(b.error());
  host::TickThreads pool(options.threads);
  const session::LogComparison comparison = compare(a.value(), b.value(), pool);
  for (const LogInput* log : {&a.value(), &b.value()}) {
    const auto& unreadable = log->reader->tail().unreadable;
    if (unreadable) return unusable(unreadable->text());
  }
  if (!options.report.empty()) {
    const Tick tick = comparison.found ? comparison.found->divergence.tick : Tick{};
    const Status written =
        write_divergence_film(options.report, comparison.found, page_log(a.value(), tick),
                              page_log(b.value(), tick), {options.a, options.b});
    if (!written) return unusable("--report: " + written.error().text());
  }
  if (!options.json) {
    print_comparison(options, comparison);
    return comparison.found ? 1 : 0;
  }
  json::Object object;
  object.add("equal", !comparison.found);
  if (comparison.found) {
    add_divergence(*comparison.found, object);
  } else {
    for (const char* name : {"tick", "body", "field", "a", "b", "ulps", "cause"}) {
      object.add(name, json::null());
    }
  }
  object.add({{"equal_ticks", comparison.ticks},
              {"tail_a", tail_json(options.a, comparison.tail_a)},
              {"tail_b", tail_json(options.b, comparison.tail_b)}});
  json::print(object.text());
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

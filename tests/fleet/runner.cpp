// Owns what a run is checked by: itself, and what it must not depend on.
#include "tests/fleet/runner.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "common/host/clock.h"

namespace orrery::fleet {
namespace {

template <std::size_t N>
void copy(const std::string& text, char (&out)[N]) {
  std::strncpy(out, text.c_str(), N - 1);
}

// Every fourth run is encrypted; every eighth has a large world, and is short. A run is made twice:
// again as it was but for the threads, or without the strangers, who must not have made a
// difference.
RunOptions options_of(std::uint64_t seed, std::uint32_t seconds) {
  const bool large = seed % 8 == 0;
  return {.seed = seed,
          .seconds = large ? std::max(seconds / 8, kSecondsMin) : seconds,
          .sealed = mix64(seed) % 4 == 0,
          .large = large};
}

Outcome run_seed(std::uint64_t seed, std::uint32_t seconds) {
  RunOptions options = options_of(seed, seconds);
  const double cpu_before = process_cpu_seconds();
  RunResult result = run(options);
  Outcome outcome{.seed = seed,
                  .sealed = options.sealed,
                  .large = options.large,
                  .tick = result.tick,
                  .trace = result.trace,
                  .simulated_seconds = result.seconds,
                  .cpu_seconds = process_cpu_seconds() - cpu_before,
                  .counts = result.counts};
  if (!result.violation && seed % 2 == 0) {
    options.threads = 2;
    const RunResult again = run(options);
    constexpr auto kShared = static_cast<std::size_t>(Event::shared_work);
    outcome.counts[kShared] = again.counts[kShared];
    if (again.trace != result.trace) {
      result.violation = {"runs repeat", "on two threads it was another run"};
    }
  } else if (!result.violation) {
    options.strangers = false;
    if (run(options).world_trace != result.world_trace) {
      result.violation = {"strangers change nothing", "without them it was another session"};
    }
  }
  if (!result.violation) return outcome;
  outcome.failed = true;
  copy(result.violation->invariant, outcome.invariant);
  copy(result.violation->what, outcome.what);
  return outcome;
}

}  // namespace

Child start(std::uint64_t seed, std::uint32_t seconds) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0) std::abort();
  if (process == 0) {
    const Outcome outcome = run_seed(seed, seconds);
    const bool written = ::write(ends[1], &outcome, sizeof(outcome)) == sizeof(outcome);
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  return {seed, process, ends[0]};
}

Outcome wait_for_one(std::vector<Child>& children) {
  int status = 0;
  const pid_t process = ::wait(&status);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Child child = children[i];
    if (child.process != process) continue;
    children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
    Outcome outcome;
    if (::read(child.pipe, &outcome, sizeof(outcome)) != sizeof(outcome)) {
      outcome = Outcome{.seed = child.seed, .failed = true};
      copy("assertions hold", outcome.invariant);
      copy("the process ended by signal " + std::to_string(WTERMSIG(status)), outcome.what);
    }
    ::close(child.pipe);
    return outcome;
  }
  std::abort();  // there are no other children
}

}  // namespace orrery::fleet

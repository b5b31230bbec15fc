// Runs simulations in separate processes and compares each run with a second one.
#include "tests/fleet/runner.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "common/core/hash.h"
#include "common/host/process/clock.h"

namespace orrery::fleet {
namespace {

template <std::size_t N>
void copy(const std::string& text, char (&out)[N]) {
  std::strncpy(out, text.c_str(), N - 1);
}

// Returns the options of a seed. About one run in four is encrypted. Every eighth has a large world
// and is shorter.
RunOptions options_of(std::uint64_t seed, std::uint32_t seconds, bool all_faults) {
  const bool large = seed % 8 == 0;
  return {.seed = seed,
          .seconds = large ? std::max(seconds / 8, kSecondsMin) : seconds,
          .sealed = mix64(seed) % 4 == 0,
          .all_faults = all_faults,
          .large = large};
}

// Runs the seed again: an even seed on two threads, an odd seed without strangers. Threads and
// strangers must not change the session, so both runs must have equal logs. Only the log of the
// second run is replayed.
std::optional<Violation> check_again(const RunResult& first, RunOptions options,
                                     EventCounts& counts) {
  const bool repeat = options.seed % 2 == 0;
  options.threads = repeat ? 2 : 1;
  options.strangers = repeat;
  options.replays = true;
  const RunResult again = run(options);
  if (again.violation) return again.violation;
  constexpr auto kShared = static_cast<std::size_t>(Event::shared_work);
  counts[kShared] = again.counts[kShared];
  if (repeat) {
    if (again.trace == first.trace) return {};
    return Violation{"runs repeat", "the run differs on two threads"};
  }
  if (again.world_trace == first.world_trace) return {};
  return Violation{"strangers change nothing", "the session differs without them"};
}

Outcome run_seed(const RunOptions& options) {
  const double cpu_before = host::process_cpu_seconds();
  RunResult result = run(options);
  Outcome outcome{.seed = options.seed,
                  .sealed = options.sealed,
                  .large = options.large,
                  .tick = result.tick,
                  .trace = result.trace,
                  .simulated_seconds = result.seconds,
                  .cpu_seconds = host::process_cpu_seconds() - cpu_before,
                  .counts = result.counts};
  if (!result.violation) result.violation = check_again(result, options, outcome.counts);
  if (!result.violation) return outcome;
  outcome.failed = true;
  copy(result.violation->invariant, outcome.invariant);
  copy(result.violation->what, outcome.what);
  return outcome;
}

}  // namespace

Child start(std::uint64_t seed, std::uint32_t seconds, bool all_faults) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0) std::abort();
  if (process == 0) {
    const Outcome outcome = run_seed(options_of(seed, seconds, all_faults));
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
  std::abort();  // the process has no other children
}

}  // namespace orrery::fleet

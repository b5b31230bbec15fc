// Checks that random sessions give the same states on threads, in replay, seeking, export and
// forks.
#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "common/host/process/thread_pool.h"
#include "common/session/explain/fault.h"
#include "common/session/replay/playback.h"
#include "common/session/replay/replay.h"
#include "common/world/image/image.h"
#include "common/world/step.h"
#include "tests/fuzz/attack/programs.h"
#include "tests/fuzz/attack/reference_session.h"
#include "tests/fuzz/attack/seeded.h"
#include "tests/support/backward_executor.h"
#include "tests/support/session.h"

namespace orrery::attack {
namespace {

constexpr const char* kAbout =
    R"(Makes a random scene for each seed, steps it under random commands of several clients, and
logs that. In every tick a follower restores the image of the state before it and steps that: the
image and the events after the tick must be equal. The same commands must then give the same hash in
every tick:
  - on three threads, and with tasks run in reverse order
  - replayed from the log, and from an image of the middle of the session
  - at ticks visited forwards and backwards in the log
  - exported by `orrery log export` and run again by `orrery run --commands`
  - forked in the middle by `orrery fork` with the same commands; with other parameters the fork
    must differ from there on, and verify
With --planted one number of one body changes in its last bit in the middle of the session on three
threads, and the comparison must find that tick.
)";

// --- comparisons in this process ---

// Steps the world to the end of the session and compares every hash. Returns the first different
// tick, or an empty string.
std::string compare_steps(const Session& session, World& world, Executor& executor,
                          const std::optional<session::Fault>& fault = {}) {
  for (std::size_t tick = world.tick().value + 1; tick <= session.ticks(); ++tick) {
    static_cast<void>(session::step_with_fault(world, session.given[tick - 1], fault, executor));
    if (world.hash() != session.hashes[tick]) return tick_text(tick);
  }
  return {};
}

std::string compare_executors(const Session& session) {
  host::ThreadPool three(3);
  World threaded(session.scene);
  std::string found = compare_steps(session, threaded, three);
  if (!found.empty()) return "three threads: " + found;
  test::BackwardExecutor backward(5);
  World other(session.scene);
  found = compare_steps(session, other, backward);
  return found.empty() ? found : "tasks in reverse: " + found;
}

std::string compare_replay(const Session& session) {
  const session::OpenedLog log = test::opened(session.log);
  Result<World> world = session::initial_world(log.header);
  if (!world) return "replay: " + world.error().text();
  host::ThreadPool three(3);
  const session::Verification found =
      session::verify(*log.reader, log.header, world.value(), three, [] {});
  if (found.first_divergent_tick) return "replay: " + tick_text(*found.first_divergent_tick);
  const bool whole = found.sound() && found.tail.closed && found.ticks == session.ticks() &&
                     found.verified == session.ticks() && found.hash == session.hashes.back();
  return whole ? "" : "replay: the log differs from the written one";
}

std::string compare_restored(const Session& session) {
  World world(session.scene);
  if (Status restored = restore_image(world, session.image); !restored) {
    return "restored: " + restored.error().text();
  }
  std::vector<std::uint8_t> again;
  save_image(world, again);
  if (again != session.image) return "restored: the image differs";
  test::BackwardExecutor backward(3);
  const std::string found = compare_steps(session, world, backward);
  return found.empty() ? found : "restored: " + found;
}

std::string compare_seeks(const Session& session, std::uint64_t seed) {
  test::MemorySegments segments;
  segments.segments[0] = session.log;
  const auto playback = session::Playback::open(session::open_log(segments.opener()));
  if (!playback) return "seek: " + playback.error().text();
  SplitMix64 draw(seed);
  SerialExecutor serial;
  std::size_t tick = session.ticks();
  for (int i = 0; i < 8; ++i) {
    const Status gone = playback.value()->go_to(Tick{tick}, serial);
    if (!gone) return "seek: " + tick_text(tick) + ": " + gone.error().text();
    if (playback.value()->world().hash() != session.hashes[tick]) return "seek: " + tick_text(tick);
    // Mostly go 1 to 10 ticks back, otherwise to any tick. A search for a divergence also goes back
    // in small steps.
    const std::size_t back = 1 + draw.below(10);
    tick = draw.below(3) != 0 && back <= tick
               ? tick - back
               : draw.below(static_cast<std::uint32_t>(session.ticks() + 1));
  }
  return {};
}

// --- comparisons with the programs ---

void write_file(const std::filesystem::path& path, Bytes bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// Runs `orrery` and returns its output. Sets the attempt's problem if the program has a fault
// (fault_of()), or if its exit code is not `exit_code`. Runs nothing if there is a problem already.
std::string orrery(Attempt& attempt, const std::vector<std::string>& arguments, int exit_code = 0) {
  if (!attempt.problem.empty()) return {};
  const ProgramEnd end = run_program(attempt.programs / "orrery", arguments, attempt.folder);
  attempt.problem = fault_of(end);
  if (attempt.problem.empty() && end.exit_code != exit_code) {
    attempt.problem = end.command + ": exits with " + std::to_string(end.exit_code) + ", not " +
                      std::to_string(exit_code) + "; " + end.err + end.out;
  }
  return end.out;
}

void require_equal(Attempt& attempt, const std::string& what, const std::string& found,
                   const std::string& expected) {
  if (!attempt.problem.empty() || found == expected) return;
  attempt.problem = what + ": " + found + " instead of " + expected;
}

std::string hex(std::uint64_t hash) {
  char text[32];
  std::snprintf(text, sizeof text, "\"0x%016llx\"", static_cast<unsigned long long>(hash));
  return text;
}

void compare_programs(const Session& session, Attempt& attempt) {
  const std::string ticks = std::to_string(session.ticks());
  const std::string middle = std::to_string(session.middle());
  const std::string hash = hex(session.hashes.back());
  std::vector<std::uint8_t> scene;
  codec::encode_scene(session.scene, scene);
  write_file(attempt.folder / "scene.bin", scene);
  write_file(attempt.folder / "log", session.log);

  const std::string lines = orrery(attempt, {"log", "export", "log"});
  require_equal(attempt, "lines of the export",
                std::to_string(std::count(lines.begin(), lines.end(), '\n')),
                std::to_string(session.ticks() + 1));
  std::ofstream(attempt.folder / "lines") << lines;
  const std::string run = orrery(attempt, {"run", "./scene.bin", "--ticks", ticks, "--commands",
                                           "lines", "--threads", "2", "--json"});
  require_equal(attempt, "hash of the exported commands", json_value(run, "hash"), hash);

  const std::string fork = orrery(
      attempt, {"fork", "log", "--at", middle, "--commands", "lines", "-o", "same", "--json"});
  require_equal(attempt, "hash of the fork", json_value(fork, "hash"), hash);
  orrery(attempt, {"diff", "log", "same"});

  orrery(attempt, {"fork", "log", "--at", middle, "--set", "gravity=1,2,3", "-o", "other"});
  orrery(attempt, {"verify", "other"});
  const std::string diff = orrery(attempt, {"diff", "log", "other", "--json"}, 1);
  require_equal(attempt, "first tick of the other fork", json_value(diff, "tick"),
                std::to_string(session.middle() + 1));
}

// --- the deliberate fault ---

// Changes the last bit of one coordinate of one body in the tick in the middle of the session. The
// comparison must find a difference in exactly this tick.
std::string find_planted(const Session& session, Attempt& attempt) {
  attempt.counts["faults planted"] += 0;
  SplitMix64 draw(attempt.seed);
  if (session.movable.empty()) return {};
  session::Fault fault{.tick = Tick{session.middle()}};
  fault.a = session.movable[draw.below(static_cast<std::uint32_t>(session.movable.size()))];
  fault.field = static_cast<physics::BodyField>(draw.below(3));  // a component of the position
  host::ThreadPool three(3);
  World world(session.scene);
  World before(session.scene);
  for (std::size_t tick = 1; tick < session.middle(); ++tick) {
    step(before, session.given[tick - 1], three);
  }
  const bool planted =
      session::step_with_fault(before, session.given[session.middle() - 1], fault, three).ok();
  if (!planted) return {};  // the change is not allowed, for example because the body sleeps
  attempt.counts["faults planted"] += 1;
  const std::string found = compare_steps(session, world, three, fault);
  if (found == tick_text(session.middle())) return {};
  return "planted " + session::to_text(fault) + ", found: " + (found.empty() ? "nothing" : found);
}

void attack(Attempt& attempt) {
  const Session session = record(attempt);
  const auto check = [&](auto compare) {
    if (attempt.problem.empty()) attempt.problem = compare();
  };
  if (attempt.planted) {
    check([&] { return find_planted(session, attempt); });
    return;
  }
  check([&] { return compare_executors(session); });
  check([&] { return compare_replay(session); });
  check([&] { return compare_restored(session); });
  check([&] { return compare_seeks(session, attempt.seed); });
  if (attempt.problem.empty()) compare_programs(session, attempt);
}

}  // namespace
}  // namespace orrery::attack

int main(int argc, char** argv) {
  return orrery::attack::run_seeds(argc, argv,
                                   {.name = "random_worlds",
                                    .about = orrery::attack::kAbout,
                                    .enough_seeds = 60,
                                    .common_kind = "scene: joints",
                                    .seconds_max = 600,
                                    .attack = orrery::attack::attack});
}

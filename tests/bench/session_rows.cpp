// Measures recording, verifying, recovering and seeking in sessions.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "common/core/rng.h"
#include "common/host/disk/log_file.h"
#include "common/session/replay/playback.h"
#include "common/session/replay/recovery.h"
#include "common/session/replay/replay.h"
#include "common/session/writer/log_writer.h"
#include "common/world/fault_injector.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/bench/machine.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"
#include "tests/support/command_stream.h"
#include "tests/support/memory_log.h"

namespace orrery::bench {
namespace {

constexpr int kTicks = 3600;  // one minute of playground
// Length of the log that log_all() writes. It is so long that opening and closing the file cost
// little per tick.
constexpr int kMinutes = 5;

World playground() { return World(built_in_scene("playground").value()); }

codec::LogHeader header_of(const World& world) {
  return session::make_log_header(world, "bench", codec::SessionId{});
}

// Records a minute of playground in which eight clients join, send commands and leave again and
// again (CommandStream). Returns the log and appends the applied commands of each tick to
// `commands`.
std::vector<std::uint8_t> record(std::vector<std::vector<Command>>& commands) {
  World world = playground();
  CommandStream stream(1);
  SerialExecutor serial;
  test::MemorySink sink;
  session::SessionLog log(sink, header_of(world));
  for (int i = 0; i < kTicks; ++i) {
    step(world, stream.next(world), serial);
    commands.push_back(world.applied());
    log.append_tick(world);
  }
  log.close();
  return sink.bytes;
}

void verify_once(Bytes bytes) {
  test::MemorySource source(bytes);
  session::LogReader log(source);
  const codec::LogHeader header = log.read_header().value();
  Result<World> world = session::initial_world(header);
  SerialExecutor serial;
  const session::Verification found = session::verify(log, header, world.value(), serial, [] {});
  ORRERY_ASSERT(found.sound() && found.verified == kTicks);
}

void step_all(const std::vector<std::vector<Command>>& commands, World& world) {
  SerialExecutor serial;
  for (const auto& of_tick : commands) step(world, of_tick, serial);
}

CommandPayload say_move(BodyId, float x) { return command::Move{{x, 2, 0}}; }
CommandPayload say_thrust(BodyId body, float x) { return command::Thrust{body, {x, 2, 0}}; }

// Returns commands with which eight clients join and grab a body each. Appends the bodies to
// `held`.
std::vector<Command> take_hold(const World& world, Sequence first, std::vector<BodyId>& held) {
  constexpr std::uint32_t kClients = 8;
  std::vector<Command> commands;
  for (std::uint32_t i = 1; i <= kClients; ++i) {
    commands.push_back({kServer, Sequence{i}, command::Join{ClientId{i}, Role::play}});
  }
  std::uint32_t body = 0;
  for (std::uint32_t i = 1; i <= kClients; ++i, ++body) {
    while (world.scene().bodies[body].control != Control::anyone) ++body;
    held.push_back(BodyId{body});
    commands.push_back({ClientId{i}, first, command::Grab{held.back(), {}, {0, 2, 0}}});
  }
  return commands;
}

// Prints the log size while eight clients command a body each in every tick. `first` is the first
// sequence number. In the log a sequence number takes two bytes from 128 on, and three from 16,384
// on.
void print_size_row(const char* quantity, CommandPayload (*say)(BodyId, float), Sequence first) {
  World world = playground();
  test::MemorySink sink;
  session::SessionLog log(sink, header_of(world));
  SerialExecutor serial;
  std::vector<BodyId> held;
  std::vector<Command> next = take_hold(world, first, held);
  std::size_t bytes = 0;
  std::size_t commands = 0;
  int ticks = 0;
  for (std::uint32_t tick = 1; tick <= kTicks; ++tick) {
    step(world, next, serial);
    const std::size_t before = sink.bytes.size();
    log.append_tick(world);
    const bool has_checkpoint = tick % (session::kCheckpointSeconds * world.scene().tick_rate) == 0;
    if (tick > 1 && !has_checkpoint) {
      ++ticks;
      bytes += sink.bytes.size() - before;
      commands += world.applied().size();
    }
    next.clear();
    for (std::uint32_t i = 0; i < held.size(); ++i) {
      const float x = static_cast<float>(1 + (tick + i) % 5);
      next.push_back({ClientId{i + 1}, Sequence{first.value + tick}, say(held[i], x)});
    }
  }
  const double per_tick = static_cast<double>(commands) / ticks;
  print_row(quantity, format("%.0f bytes a tick", 20 + 16 * per_tick),
            format("%.1f bytes a tick", static_cast<double>(bytes) / ticks),
            format("%.1f commands a tick", per_tick));
}

void print_size_rows() {
  constexpr const char* kLater = "the same, from each client's 16,384th command on";
  constexpr Sequence kLate{16'384};
  print_size_row("log of playground, 8 clients that move in every tick", say_move, Sequence{1});
  print_size_row(kLater, say_move, kLate);
  print_size_row("log of playground, 8 clients that thrust in every tick", say_thrust, Sequence{1});
  print_size_row(kLater, say_thrust, kLate);
}

// Logs the ticks to a file. Does not step them: logging costs less than the noise in the cost of a
// step. The CPU time of the writer thread counts too. The ticks follow one another without a pause,
// so one sync covers thousands of ticks. In a session in real time it covers four.
void log_all(const std::vector<std::vector<Command>>& commands, World& world,
             const std::string& path) {
  std::filesystem::remove(path);
  const auto file = std::move(host::LogFile::open(path, host::OnFailure::stop).value());
  session::SessionLog log(*file, header_of(world));
  for (int minute = 0; minute < kMinutes; ++minute) {
    for (const auto& of_tick : commands) {
      FaultInjector(world).state().applied = of_tick;
      ++FaultInjector(world).state().tick.value;
      ORRERY_ASSERT(log.append_tick(world));
    }
  }
  ORRERY_ASSERT(file->close().ok());
}

// Returns the current value of a clock, in seconds.
double time_of(clockid_t clock) {
  timespec time{};
  ORRERY_ASSERT(clock_gettime(clock, &time) == 0);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
double time_of_other_threads() {
  return time_of(CLOCK_PROCESS_CPUTIME_ID) - time_of(CLOCK_THREAD_CPUTIME_ID);
}

// Prints the delay between a tick and its sync in a session of 60 ticks a second, sampled every
// 0.2 ms, and the CPU time of the writer thread.
void print_lag_row(const std::vector<std::vector<Command>>& commands, const std::string& path) {
  using Clock = std::chrono::steady_clock;
  constexpr int kLagTicks = 600;
  constexpr std::chrono::microseconds kTick{16'667};
  std::filesystem::remove(path);
  const auto file = std::move(host::LogFile::open(path, host::OnFailure::go_on).value());
  World world = playground();
  session::SessionLog log(*file, header_of(world));
  ORRERY_ASSERT(file->sync().ok());
  std::vector<Clock::time_point> logged;
  std::vector<double> lags;  // ms
  const double writer_began = time_of_other_threads();
  const Clock::time_point start = Clock::now();
  while (lags.size() < kLagTicks) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const Clock::time_point now = Clock::now();
    if (logged.size() < kLagTicks && now >= start + kTick * logged.size()) {
      FaultInjector(world).state().applied = commands[logged.size()];
      ++FaultInjector(world).state().tick.value;
      ORRERY_ASSERT(log.append_tick(world));
      logged.push_back(now);
    }
    for (const std::uint64_t durable = file->state().durable.value; lags.size() < durable;) {
      const std::chrono::duration<double, std::milli> lag = now - logged[lags.size()];
      lags.push_back(lag.count());
    }
  }
  const double writer_took = time_of_other_threads() - writer_began;
  ORRERY_ASSERT(file->close().ok());
  std::sort(lags.begin(), lags.end());
  print_row("from a tick at 60 Hz to its record on the disk", "100 ms",
            format("%.0f ms", lags.back()),
            format("median %.0f ms, of 100 ticks 99 in %.0f ms", lags[kLagTicks / 2],
                   lags[kLagTicks * 99 / 100]));
  print_row("the thread that brings them there, its syncs included", "30 us",
            format("%.1f us a tick", 1e6 * writer_took / kLagTicks),
            "not in the tick's own thread");
}

// Measures recovery after a crash just before a checkpoint.
void print_recovery_row(const test::MemorySegments& log, Tick last) {
  SerialExecutor serial;
  Best going_on;
  for (int round = 0; round < kRounds; ++round) {
    going_on.run([&] {
      session::OpenedLog opened = std::move(session::open_log(log.opener()).value());
      ORRERY_ASSERT(session::recover(opened, serial).value().world.tick() == last);
    });
  }
  print_row("going on with an hour's log of 1,000 bodies after a crash", "250 ms",
            format("%.0f ms", 1e3 * going_on.seconds()),
            format("%.1f MB, in memory; %d s behind the last checkpoint",
                   1e-6 * static_cast<double>(log.segments[0].size()),
                   static_cast<int>(session::kCheckpointSeconds)));
}

// Measures opening a one-hour log of a thousand bodies, and seeking in it.
void print_seek_rows() {
  constexpr std::uint64_t kHour = 216'000;
  constexpr int kSeeks = 100;
  test::MemorySegments segments;
  World world(built_in_scene("free:1000").value());
  session::SessionLog log(segments, header_of(world));
  SerialExecutor serial;
  const auto step_to = [&](std::uint64_t tick) {
    while (world.tick().value < tick) {
      step(world, {}, serial);
      ORRERY_ASSERT(log.append_tick(world));
    }
  };
  step_to(kHour + session::kCheckpointSeconds * world.scene().tick_rate - 1);
  print_recovery_row(segments, world.tick());
  Best opening, opening_torn, seeking;
  std::unique_ptr<session::Playback> playback;
  for (int round = 0; round < kRounds; ++round) {
    opening_torn.run([&] {
      playback = std::move(session::Playback::open(session::open_log(segments.opener())).value());
    });
  }
  print_row("open of it, which has no index then", "5 ms",
            format("%.2f ms", 1e3 * opening_torn.seconds()), "");
  log.close();
  for (int round = 0; round < kRounds; ++round) {
    opening.run([&] {
      playback = std::move(session::Playback::open(session::open_log(segments.opener())).value());
    });
    SplitMix64 draw(1);
    seeking.run([&] {
      for (int i = 0; i < kSeeks; ++i) {
        ORRERY_ASSERT(playback->go_to(Tick{draw.next() % (kHour + 1)}, serial));
      }
    });
  }
  print_row("open of an hour's log of 1,000 bodies", "5 ms",
            format("%.2f ms", 1e3 * opening.seconds()), "");
  print_row("seek to any tick of it", "50 ms", format("%.1f ms", 1e3 * seeking.seconds() / kSeeks),
            format("mean of %d", kSeeks));
}

}  // namespace

void print_session_rows() {
  std::vector<std::vector<Command>> commands;
  const std::vector<std::uint8_t> bytes = record(commands);
  const std::string path =
      std::filesystem::temp_directory_path() / ("orrery-bench-" + std::to_string(getpid()));
  Best verifying, bare, logged;
  for (int round = 0; round < kRounds; ++round) {
    verifying.run([&] { verify_once(bytes); });
    World stepped = playground();
    bare.run([&] { step_all(commands, stepped); });
    World written = playground();
    logged.run([&] { log_all(commands, written, path); });
  }
  print_row("verify of 60 s of playground with 8 clients, times real time", "100",
            format("%.0f", 60 / verifying.seconds()),
            format("%.1f us a tick, %.1f bytes a tick in the log",
                   1e6 * verifying.seconds() / kTicks, static_cast<double>(bytes.size()) / kTicks));
  const double step_us = 1e6 * bare.seconds() / kTicks;
  const double log_us = 1e6 * logged.seconds() / (kTicks * kMinutes);
  print_row("logging it to a file, share of the tick", "2 %",
            format("%.1f %%", 100 * log_us / step_us),
            format("%.2f us of a tick of %.1f us", log_us, step_us));
  print_size_rows();
  print_lag_row(commands, path);
  std::filesystem::remove(path);
  print_seek_rows();
}

}  // namespace orrery::bench

// Owns the rows on a recorded session: what verifying one costs, and what recording one costs.
#include <unistd.h>

#include <filesystem>
#include <string>

#include "common/host/log_file.h"
#include "common/session/log_writer.h"
#include "common/session/replay.h"
#include "common/world/scenes.h"
#include "common/world/step.h"
#include "tests/bench/machine.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"
#include "tests/support/command_stream.h"
#include "tests/support/memory_log.h"

namespace orrery::bench {
namespace {

constexpr int kTicks = 3600;  // a minute of playground
constexpr int kMinutes = 5;   // stepped with and without a log: opening it and closing it is once

World playground() { return World(built_in_scene("playground").value()); }

LogHeader header_of(const World& world) { return make_log_header(world, "bench", SessionId{}); }

// A minute of playground in which eight clients give commands all the time; the log of it, and its
// commands tick by tick.
std::vector<std::uint8_t> record(std::vector<std::vector<Command>>& commands) {
  World world = playground();
  CommandStream stream(1);
  SerialExecutor serial;
  test::MemorySink sink;
  SessionLog log(sink, header_of(world));
  for (int i = 0; i < kTicks; ++i) {
    step(world, stream.next(world), serial);
    commands.push_back(world.applied);
    log.append_tick(world);
  }
  log.close();
  return sink.bytes;
}

void verify_once(Bytes bytes) {
  test::MemorySource source(bytes);
  LogReader log(source);
  const LogHeader header = log.read_header().value();
  Result<World> world = initial_world(header);
  SerialExecutor serial;
  const Verification found = verify(log, header, world.value(), serial, [] {});
  ORRERY_ASSERT(found.sound() && found.verified == kTicks);
}

void step_all(const std::vector<std::vector<Command>>& commands, SessionLog* log, World& world) {
  SerialExecutor serial;
  for (int minute = 0; minute < kMinutes; ++minute) {
    for (const auto& of_tick : commands) {
      step(world, of_tick, serial);
      if (log != nullptr) log->append_tick(world);
    }
  }
}

// To a file, with its writer thread, whose time counts too.
void step_all_to_file(const std::vector<std::vector<Command>>& commands, const std::string& path) {
  std::filesystem::remove(path);
  World world = playground();
  const auto file = std::move(LogFile::open(path).value());
  SessionLog log(*file, header_of(world));
  step_all(commands, &log, world);
  ORRERY_ASSERT(file->close().ok());
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
    bare.run([&] {
      World world = playground();
      step_all(commands, nullptr, world);
    });
    logged.run([&] { step_all_to_file(commands, path); });
  }
  std::filesystem::remove(path);
  print_row("verify of 60 s of playground with 8 clients, times real time", "100",
            format("%.0f", 60 / verifying.seconds()),
            format("%.1f us a tick, %.1f bytes a tick in the log",
                   1e6 * verifying.seconds() / kTicks, static_cast<double>(bytes.size()) / kTicks));
  print_row("logging it to a file, share of the tick", "2 %",
            format("%.1f %%", 100 * (logged.seconds() / bare.seconds() - 1)),
            format("%.1f and %.1f us a tick", 1e6 * logged.seconds() / (kTicks * kMinutes),
                   1e6 * bare.seconds() / (kTicks * kMinutes)));
}

}  // namespace orrery::bench

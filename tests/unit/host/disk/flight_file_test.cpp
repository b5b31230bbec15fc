// Tests the names of saved flights, and the error if one cannot be saved.
#include "common/host/disk/flight_file.h"

#include <gtest/gtest.h>

#include "common/session/replay/replay.h"
#include "common/session/writer/log_writer.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/disk_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

struct NoSink final : session::RecordSink {
  bool begin(const codec::LogHeader&, const session::LogRecord*) override { return true; }
  bool append(const session::LogRecord&) override { return true; }
};

Scene scene() { return built_in_scene("tumble").value(); }

// Returns nine ticks. The hash of the last one is wrong.
std::vector<session::FlightTick> ticks() {
  World world(scene());
  SerialExecutor executor;
  NoSink sink;
  session::SessionLog log(sink, session::make_log_header(world, "test", {}));
  session::FlightRecorder recorder(world, std::size_t{1} << 20);
  for (int i = 0; i < 9; ++i) {
    step(world, {}, executor);
    log.append_tick(world);
    recorder.add(world, log.last_tick(), world.tick());
  }
  std::vector<session::FlightTick> ticks = recorder.take();
  ticks.back().hash ^= 1;
  return ticks;
}

// A resumed session can diverge at the same tick again. The first flight must stay.
TEST(FlightFile, TouchesNoFlightThatIsThere) {
  test::SimulatedDisk disk(1);
  EXPECT_EQ(host::write_flight("F", scene(), "one", {}, ticks(), disk).value(), "F");
  const auto first = disk.content();
  EXPECT_TRUE(disk.content_after_crash() == first) << "it is on the disk";
  EXPECT_EQ(host::write_flight("F", scene(), "two", {}, ticks(), disk).value(), "F-2");
  const auto both = disk.content();
  EXPECT_EQ(both.size(), 4u);
  for (const auto& [name, content] : first) EXPECT_TRUE(both.at(name) == content) << name;
  disk.remove("F");
  EXPECT_EQ(host::write_flight("F", scene(), "three", {}, ticks(), disk).value(), "F-3")
      << "F.0001 is there";
  EXPECT_EQ(test::verify_log("F-3", disk).first_divergent_tick, 9u);
}

TEST(FlightFile, SaysWhereItCannotBeWritten) {
  const auto written = host::write_flight("/nowhere/flight", scene(), "test", {}, ticks());
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text().find("/nowhere/flight"), std::string::npos);
}

}  // namespace
}  // namespace orrery

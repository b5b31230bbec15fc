// Tests the flight that a follower of the C interface saves.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "common/world/fault_injector.h"
#include "tests/unit/client/api/played_client.h"

namespace orrery::test {
namespace {

TEST(ClientFlight, IsSavedAndNamesTheDifference) {
  auto options = sized<orrery_client_options>();
  options.follow = 1;
  PlayedClient session("playground", options);
  session.run(200);
  char report[200] = "?";
  std::string name = (std::filesystem::temp_directory_path() / "orrery-flight-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(name.data()));
  const std::string path = name + "/flight";
  orrery_client* const client = session.client.get();
  EXPECT_EQ(orrery_client_save_flight(client, path.c_str(), report, sizeof report),
            ORRERY_NOT_READY);
  EXPECT_STREQ(report, "");
  SerialExecutor executor;
  const double height = session.world.bodies().position(8).y;
  FaultInjector injector(session.world);
  injector.state().bodies.set(physics::BodyField::position_y, 8, height + 0x1p-30);
  injector.update_hash(executor);
  session.run(60);
  ASSERT_EQ(session.stats().diverged, 1u);
  EXPECT_EQ(orrery_client_save_flight(client, nullptr, report, sizeof report), ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_client_save_flight(client, "/nowhere/flight", nullptr, 0), ORRERY_BAD_ARGUMENT);
  ASSERT_EQ(orrery_client_save_flight(client, path.c_str(), report, sizeof report), ORRERY_OK)
      << error_of(client);
  const std::string end = "the last ten seconds are in " + path;
  EXPECT_EQ(std::string(report).substr(std::string(report).size() - end.size()), end) << report;
  orrery_log* log = nullptr;
  char why[200];
  ASSERT_EQ(orrery_log_from_file(path.c_str(), &log, why, sizeof why), ORRERY_OK) << why;
  auto found = sized<orrery_verification>();
  EXPECT_EQ(orrery_log_verify(log, 10'000, 0, &found, nullptr), ORRERY_END);
  EXPECT_EQ(found.diverged, 1u);
  EXPECT_EQ(found.first_divergent_tick, session.stats().first_divergent_tick);
  orrery_log_destroy(log);
  std::filesystem::remove_all(name);
}

}  // namespace
}  // namespace orrery::test

// Tests the status file: a line for each client, and null for numbers that JSON cannot express.
#include "server/operator/report.h"

#include <gtest/gtest.h>

#include <limits>

namespace orrery {
namespace {

TEST(Report, HasALineForEachClientAndNoNumberThatJsonHasNot) {
  server::SessionReport report;
  report.tick = Tick{7};
  report.cpu_seconds = std::numeric_limits<double>::quiet_NaN();
  server::ClientReport client;
  client.id = ClientId{3};
  client.role = Role::play;
  client.loss = std::numeric_limits<double>::infinity();
  client.sent = 1000;
  client.round_trip = 20 * net::kMillisecond;
  client.lag = 2;
  report.clients = {client, server::ClientReport{}};
  const std::string text = server::to_json(report);
  EXPECT_EQ(text.find("{\"unix_seconds\": 0, \"tick\": 7, "), 0u);
  EXPECT_NE(text.find("\"cpu_seconds\": null"), text.npos);
  EXPECT_NE(text.find("\n{\"id\": 3, \"role\": \"play\", \"address\": "), text.npos);
  EXPECT_NE(text.find("\"round_trip_ms\": 20, \"loss\": null, \"kbit_per_second\": 8, "
                      "\"room_kbit_per_second\": 0, \"lag_ticks\": 2},\n{"),
            text.npos);
  EXPECT_NE(text.find("\"round_trip_ms\": null"), text.npos);
  EXPECT_NE(text.find("\"lag_ticks\": null}\n]}\n"), text.npos);
  EXPECT_NE(text.find("\"shadow\": null"), text.npos);
  EXPECT_EQ(text.find("nan"), text.npos);
  EXPECT_EQ(text.find("inf"), text.npos);
}

}  // namespace
}  // namespace orrery

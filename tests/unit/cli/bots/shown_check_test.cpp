// Tests the comparison of shown poses with a log: sound poses pass, and each planted error is
// found.
#include "client/cli/bots/shown_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/bots/seated_bot.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

using client::Shown;
using client::ShownReport;

// A session with three bots on a bad network, and its log.
struct Recorded : test::ServedSession {
  explicit Recorded(bool follow)
      : ServedSession("playground", 5, {.loss_percent = 10, .delay_max = 60 * net::kMillisecond}) {
    std::vector<std::unique_ptr<test::SeatedBot>> bots;
    for (std::uint32_t host = 10; host < 13; ++host) {
      client::BotOptions options;
      options.seed = host;
      options.follow = follow;
      options.plain = true;  // the log has poses that are not rounded
      options.shown_max = 400;
      bots.push_back(std::make_unique<test::SeatedBot>(*this, host, options));
    }
    for (int i = 0; i < 4 * 600; ++i) {
      network.now += net::kSecond / world.scene().tick_rate / 4;
      if (i % 4 == 0) server.tick(now());
      for (const auto& bot : bots) bot->update(now());
    }
    for (const auto& bot : bots) {
      const auto more = bot->bot->shown();
      shown.insert(shown.end(), more.begin(), more.end());
    }
    log.close();
  }

  ShownReport compare(const std::vector<Shown>& poses) {
    auto playback = session::Playback::open(test::opened(sink.bytes));
    EXPECT_TRUE(playback) << playback.error().text();
    auto report = client::compare_shown(poses, *playback.value(), executor);
    EXPECT_TRUE(report) << report.error().text();
    return report.value();
  }

  std::vector<Shown> shown;
};

TEST(ShownCheck, PosesOfSmoothFramesAreNearTheLog) {
  Recorded session(false);
  const ShownReport report = session.compare(session.shown);
  EXPECT_GT(report.compared, 500u);
  EXPECT_EQ(report.compared + report.unlogged, session.shown.size());
  EXPECT_EQ(report.wrong, 0u) << report.first_wrong;
  EXPECT_EQ(report.exact, 0u);
  EXPECT_LT(report.unlogged, 20u);
  EXPECT_GT(report.measured, report.compared / 2);
  EXPECT_LT(report.error_rms(), 0.1);
  EXPECT_LE(report.error_rms(), report.error_max);
}

TEST(ShownCheck, PosesOfAFollowerAreThoseOfTheLog) {
  Recorded session(true);
  const ShownReport report = session.compare(session.shown);
  EXPECT_GT(report.exact, 500u);
  EXPECT_EQ(report.wrong, 0u) << report.first_wrong;
  EXPECT_EQ(report.unlogged, 0u);
}

TEST(ShownCheck, OneWrongBitOfAFollowerIsFound) {
  Recorded session(true);
  for (int field = 0; field < 2; ++field) {
    auto shown = session.shown;
    Shown& planted = shown[shown.size() / 2];
    double& number = field == 0 ? planted.pose.position.y : planted.pose.orientation.w;
    number = std::nextafter(number, 1e9);
    const ShownReport report = session.compare(shown);
    EXPECT_EQ(report.wrong, 1u);
    EXPECT_NE(report.first_wrong.find("differs from the log"), std::string::npos)
        << report.first_wrong;
  }
}

// Five metres are more than any body here moves between two snapshots.
TEST(ShownCheck, APoseThatIsFarOffIsFound) {
  Recorded session(false);
  std::size_t found = 0;
  for (std::size_t i = 0; i < session.shown.size(); i += 50) {
    std::vector<Shown> one = {session.shown[i]};
    one[0].pose.position.x += 5;
    found += session.compare(one).wrong;
  }
  EXPECT_GE(found, session.shown.size() / 50 - 1);
  auto shown = session.shown;
  shown[0].pose.position.x = std::nan("");
  EXPECT_EQ(session.compare(shown).wrong, 1u);
}

TEST(ShownCheck, ABodyThatDidNotExistIsFound) {
  Recorded session(false);
  auto shown = session.shown;
  shown[shown.size() / 2].pose.id = make_body_id(4000, 0);
  const ShownReport report = session.compare(shown);
  EXPECT_EQ(report.wrong, 1u);
  EXPECT_NE(report.first_wrong.find("is not in the log"), std::string::npos) << report.first_wrong;
}

TEST(ShownCheck, TicksThatTheLogDoesNotHaveAreCounted) {
  Recorded session(false);
  auto shown = session.shown;
  for (Shown& s : shown) {
    s.before += 10'000;
    s.earliest += 10'000;
    if (s.after != 0) s.after += 10'000;
  }
  const ShownReport report = session.compare(shown);
  EXPECT_EQ(report.compared, 0u);
  EXPECT_EQ(report.unlogged, shown.size());
}

}  // namespace
}  // namespace orrery

// Owns the tests of what the server tells of events, and answers to queries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "client/lib/connection.h"
#include "common/world/step.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

using test::address_of;
using test::Port;

// A client that keeps what it hears.
struct Listener {
  Listener(test::ServedSession& session, std::uint32_t host, bool events)
      : port(session.network, address_of(host)),
        connection(port, session.token(host), session.now(), events) {}

  void receive(const Address& from, Bytes datagram, Nanoseconds now) {
    connection.receive(from, datagram, now);
    for (const WorldEvent& event : connection.events().events) {
      heard.emplace_back(connection.events().tick.value, event);
    }
    if (connection.answer()) answers.push_back(*connection.answer());
  }
  void update(Nanoseconds now) { connection.update(now); }

  Port port;
  Connection connection;
  std::vector<std::pair<std::uint64_t, WorldEvent>> heard;
  std::vector<message::Answer> answers;
};

struct Session : test::ServedSession {
  using ServedSession::ServedSession;

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      tick();
      for (const WorldEvent& event : world.events.list) {
        happened.emplace_back(world.tick.value, event);
      }
      for (Listener* listener : {&asks, &does_not}) test::update(*listener, listener->port, now());
    }
  }

  std::uint64_t dropped(Drop drop) const {
    return server.endpoint().counters().drops[static_cast<std::size_t>(drop)];
  }

  Listener asks{*this, 2, true};
  Listener does_not{*this, 3, false};
  std::vector<std::pair<std::uint64_t, WorldEvent>> happened;
};

// Speeds and normals are rounded on their way.
void expect_same(const WorldEvent& heard, WorldEvent happened) {
  EXPECT_NEAR(heard.speed, happened.speed, 1e-6 * std::abs(happened.speed));
  EXPECT_LT(length(heard.normal - happened.normal), 1e-6);
  happened.speed = heard.speed;
  happened.normal = heard.normal;
  EXPECT_EQ(heard, happened);
}

TEST(ServerEvents, AreToldToWhoAsksAlone) {
  Session session("boxes:60");
  session.run(150);
  EXPECT_TRUE(session.does_not.heard.empty());
  const auto& heard = session.asks.heard;
  ASSERT_GT(heard.size(), 50u);
  ASSERT_LE(heard.size(), session.happened.size());
  // All since it joined.
  const std::size_t before = session.happened.size() - heard.size();
  for (std::size_t i = 0; i < heard.size(); ++i) {
    EXPECT_EQ(heard[i].first, session.happened[before + i].first);
    expect_same(heard[i].second, session.happened[before + i].second);
  }
  EXPECT_EQ(session.asks.connection.counters().events, heard.size());
  EXPECT_EQ(session.asks.connection.counters().events_missed, 0u);
}

TEST(ServerEvents, WhoMissesSomeKnowsHowMany) {
  Session session("boxes:60", 1, {.loss_percent = 20});
  session.run(150);
  const ConnectionCounters& counters = session.asks.connection.counters();
  EXPECT_GT(counters.events_missed, 0u);
  ASSERT_FALSE(session.asks.heard.empty());
  const auto first = std::find_if(
      session.happened.begin(), session.happened.end(),
      [&](const auto& event) { return event.first == session.asks.heard.front().first; });
  const auto last = std::find_if(first, session.happened.end(), [&](const auto& event) {
    return event.first > session.asks.heard.back().first;
  });
  EXPECT_EQ(counters.events + counters.events_missed, static_cast<std::uint64_t>(last - first));
}

TEST(ServerQueries, AreAnsweredFromTheStateTheyName) {
  Session session("crates:10");
  session.run(30);
  const Vec3 top = session.world.bodies.position(9);
  Connection& connection = session.does_not.connection;
  const std::uint32_t hits = connection.cast_ray({top.x, 30, top.z}, {0, -40, 0}, session.now());
  const std::uint32_t misses = connection.cast_ray({top.x, 30, top.z}, {0, 40, 0}, session.now());
  session.run(2);
  const std::vector<message::Answer>& answers = session.does_not.answers;
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].id, hits);
  EXPECT_TRUE(answers[0].hit);
  EXPECT_EQ(answers[0].body, BodyId{9});
  EXPECT_NEAR(30 - 40 * answers[0].fraction, top.y + 0.5, 1e-6);
  EXPECT_NEAR(answers[0].normal.y, 1, 1e-3);
  EXPECT_EQ(answers[1].id, misses);
  EXPECT_FALSE(answers[1].hit);
  EXPECT_TRUE(session.asks.answers.empty());
}

TEST(ServerQueries, TooManyAndUnsoundOnesAreDroppedAndCounted) {
  Session session("crates:10");
  session.run(30);
  Connection& connection = session.does_not.connection;
  for (int i = 0; i < 25; ++i) connection.cast_ray({}, {0, 1, 0}, session.now());
  session.run(2);
  EXPECT_EQ(session.does_not.answers.size(), 10u);
  EXPECT_EQ(session.dropped(Drop::flood), 15u);
  session.run(60);
  connection.cast_ray({0, std::nan(""), 0}, {0, 1, 0}, session.now());
  session.run(2);
  EXPECT_EQ(session.does_not.answers.size(), 10u);
  EXPECT_EQ(session.dropped(Drop::malformed), 1u);
  EXPECT_TRUE(connection.connected());
}

}  // namespace
}  // namespace orrery

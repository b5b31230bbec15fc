// Tests events and answers to queries from the server.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "client/lib/connection.h"
#include "common/codec/scene_codec.h"
#include "common/world/step.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

using test::address_of;
using test::Port;

// Events with their ticks.
using History = std::vector<std::pair<std::uint64_t, WorldEvent>>;

// A client that records events.
struct Listener {
  Listener(test::ServedSession& session, std::uint32_t host, bool events)
      : world(session.world),
        port(session.network, address_of(host)),
        connection(port, session.token(host), session.now(), events) {}

  void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now) {
    connection.receive(from, datagram, now);
    for (const codec::message::Events& events : connection.events()) {
      for (const WorldEvent& event : events.events) heard.emplace_back(events.tick.value, event);
      latest = std::max(latest, world.tick().value - events.tick.value);
    }
    if (connection.answer()) answers.push_back(*connection.answer());
  }
  void update(net::Nanoseconds now) { connection.update(now); }

  const World& world;
  Port port;
  client::Connection connection;
  History heard;
  std::uint64_t latest = 0;  // largest delay of a received event, in ticks
  std::vector<codec::message::Answer> answers;
};

struct Session : test::ServedSession {
  using ServedSession::ServedSession;

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      tick();
      for (const WorldEvent& event : world.events().list) {
        happened.emplace_back(world.tick().value, event);
      }
      for (Listener* listener : {&asks, &does_not}) test::update(*listener, listener->port, now());
    }
  }

  std::uint64_t dropped(net::Drop drop) const {
    return server.endpoint().counters().drops[static_cast<std::size_t>(drop)];
  }

  Listener asks{*this, 2, true};
  Listener does_not{*this, 3, false};
  History happened;
};

// Returns whether two events are equal. Speeds and normals are rounded in transit.
bool is_same(const WorldEvent& heard, WorldEvent happened) {
  const bool near = std::abs(heard.speed - happened.speed) <= 1e-6 * std::abs(happened.speed) &&
                    length(heard.normal - happened.normal) < 1e-6;
  happened.speed = heard.speed;
  happened.normal = heard.normal;
  return near && heard == happened;
}

// Returns how many events between the first and last received one are missing. Checks their order.
std::uint64_t left_out_between(const Listener& listener, const History& happened) {
  const auto is_next = [](const auto& a, const auto& b) {
    return a.first == b.first && is_same(a.second, b.second);
  };
  std::uint64_t left_out = 0;
  if (listener.heard.empty()) return left_out;
  auto next = std::find_if(happened.begin(), happened.end(), [&](const auto& event) {
    return is_next(listener.heard.front(), event);
  });
  for (const auto& heard : listener.heard) {
    for (; next != happened.end() && !is_next(heard, *next); ++next) ++left_out;
    EXPECT_NE(next, happened.end()) << "an event of tick " << heard.first;
    if (next == happened.end()) return left_out;
    ++next;
  }
  return left_out;
}

TEST(ServerEvents, AreToldToWhoAsksAloneAndAtOnce) {
  Session session("boxes:60");
  session.run(150);
  EXPECT_TRUE(session.does_not.heard.empty());
  const auto& heard = session.asks.heard;
  ASSERT_GT(heard.size(), 50u);
  EXPECT_EQ(left_out_between(session.asks, session.happened), 0u);
  EXPECT_EQ(heard.back().first, session.happened.back().first);
  EXPECT_EQ(session.asks.latest, 0u);  // each arrives in its tick
  EXPECT_EQ(session.asks.connection.counters().messages.events, heard.size());
  EXPECT_EQ(session.asks.connection.counters().messages.events_missed, 0u);
  EXPECT_EQ(session.server.events_left_out(), 0u);
}

TEST(ServerEvents, ComeAllAndInOrderOverABadNetwork) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session(
        "boxes:60", seed,
        {.loss_percent = 20, .duplicate_percent = 10, .delay_max = 60 * net::kMillisecond});
    session.run(360);  // the scene arrives before the events
    ASSERT_GT(session.asks.heard.size(), 20u);
    EXPECT_EQ(left_out_between(session.asks, session.happened), 0u);
    EXPECT_EQ(session.asks.connection.counters().messages.events_missed, 0u);
    const auto is_old = [&](const auto& event) {
      return event.first + 60 <= session.world.tick().value;
    };
    const auto end = std::find_if_not(session.happened.begin(), session.happened.end(), is_old);
    ASSERT_NE(end, session.happened.begin());
    EXPECT_GE(session.asks.heard.back().first, std::prev(end)->first);
  }
}

TEST(ServerEvents, DoNotWaitForAcks) {
  Session session("boxes:60");
  session.run(30);
  session.asks.port.keep = true;  // the server gets none of this client's packets
  session.run(60);
  ASSERT_GT(session.asks.heard.size(), 20u);
  EXPECT_EQ(left_out_between(session.asks, session.happened), 0u);
  EXPECT_EQ(session.asks.heard.back().first, session.happened.back().first);
  EXPECT_EQ(session.asks.latest, 0u);
}

// A client that acknowledges nothing gets a limited number of events. The numbers of later events
// show how many it missed.
TEST(ServerEvents, WhoFallsBehindKnowsHowManyItMissed) {
  Session session("boxes:600");
  session.run(10);
  session.asks.port.keep = true;
  session.run(50);
  EXPECT_EQ(session.asks.connection.counters().messages.events_missed, 0u);
  EXPECT_GT(session.server.events_left_out(), 0u);
  session.asks.port.flush();
  session.asks.port.keep = false;
  session.run(120);
  const auto& counters = session.asks.connection.counters().messages;
  EXPECT_GT(counters.events_missed, 0u);
  EXPECT_LE(counters.events_missed, session.server.events_left_out());
  EXPECT_EQ(counters.events_missed, left_out_between(session.asks, session.happened));
  EXPECT_EQ(counters.events, session.asks.heard.size());
  EXPECT_TRUE(session.asks.connection.connected());
}

// Every client of mode plain gets the scene, and every body names the scene body that it is or
// copies.
TEST(ServerScene, ReachesEveryPlainClient) {
  Session session("playground", 1, {.loss_percent = 10});
  session.run(120);
  for (const Listener* listener : {&session.asks, &session.does_not}) {
    const Scene* const scene = listener->connection.scene();
    ASSERT_NE(scene, nullptr);
    std::vector<std::uint8_t> theirs, ours;
    codec::encode_scene(*scene, theirs);
    codec::encode_scene(session.world.scene(), ours);
    EXPECT_EQ(theirs, ours);
  }
  session.does_not.connection.command(command::Spawn{7, {0, 20, 0}, {}});
  session.run(20);
  const client::Snapshot& newest = *session.does_not.connection.snapshots().newest();
  ASSERT_GT(newest.bodies.size(), session.world.scene().bodies.size());
  for (const codec::BodyState& body : newest.bodies) {
    EXPECT_EQ(body.prototype, session.world.controls().prototypes[slot_of(body.id)]);
  }
  EXPECT_EQ(newest.bodies.back().prototype, 7u);
}

// Followers get events from their own world.
TEST(ServerEvents, FollowersHaveThoseOfTheirOwnWorld) {
  Session session("boxes:60");
  Port port(session.network, address_of(4));
  client::Follower follower;
  client::Connection connection(port, session.token(4), session.now(), /*events=*/true, &follower);
  for (int i = 0; i < 150; ++i) {
    session.run(1);
    test::update(connection, port, session.now());
  }
  ASSERT_FALSE(follower.error()) << follower.error()->message;
  EXPECT_FALSE(follower.mismatch());
  EXPECT_GT(follower.ticks_checked(), 100u);
  EXPECT_GT(connection.counters().messages.events, 0u);
  EXPECT_EQ(session.server.events_left_out(), 0u);
}

TEST(ServerQueries, AreAnsweredFromTheStateTheyName) {
  Session session("crates:10");
  session.run(30);
  const Vec3 top = session.world.bodies().position(9);
  client::Connection& connection = session.does_not.connection;
  const std::uint32_t hits = connection.cast_ray({top.x, 30, top.z}, {0, -40, 0}, session.now()).id;
  const std::uint32_t misses =
      connection.cast_ray({top.x, 30, top.z}, {0, 40, 0}, session.now()).id;
  session.run(2);
  const std::vector<codec::message::Answer>& answers = session.does_not.answers;
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
  client::Connection& connection = session.does_not.connection;
  for (int i = 0; i < 25; ++i) connection.cast_ray({}, {0, 1, 0}, session.now());
  session.run(2);
  EXPECT_EQ(session.does_not.answers.size(), 10u);
  EXPECT_EQ(session.dropped(net::Drop::flood), 15u);
  session.run(60);
  connection.cast_ray({0, std::nan(""), 0}, {0, 1, 0}, session.now());
  session.run(2);
  EXPECT_EQ(session.does_not.answers.size(), 10u);
  EXPECT_EQ(session.dropped(net::Drop::malformed), 1u);
  EXPECT_TRUE(connection.connected());
}

}  // namespace
}  // namespace orrery

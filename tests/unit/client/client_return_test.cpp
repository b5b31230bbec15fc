// Tests a client over several connections: its waits, its sentences, its counts and its events.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/host/text/scene_file.h"
#include "tests/unit/client/played.h"

namespace orrery {
namespace {

using client::ClientPhase;
using test::Played;

// Runs the client without a server. Returns the first `count` waits in seconds. A wait lasts from
// the end of an attempt until the next one.
std::vector<double> waits_of(Played& session, std::size_t count) {
  std::vector<double> waits;
  net::Nanoseconds ended = 0;  // 0: an attempt runs
  while (waits.size() < count && session.client.phase() != ClientPhase::ended) {
    session.run(1.0 / 144, false);
    const bool tries = session.client.connection() != nullptr;
    if (!tries && ended == 0) ended = session.now();
    if (tries && ended != 0) {
      waits.push_back(static_cast<double>(session.now() - ended) / net::kSecond);
      ended = 0;
    }
  }
  return waits;
}

void expect_near(const std::vector<double>& waits, const std::vector<double>& wanted) {
  ASSERT_EQ(waits.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(waits[i], wanted[i], 0.02) << i;
}

// Each wait is twice the one before, up to four seconds. After a restored connection that broke
// within five seconds, the waits keep growing, as after a failed attempt. After a longer connection
// they start again from the first.
TEST(ClientReturn, WaitsGrowUntilAConnectionWasSteady) {
  Played session("free:8");
  session.choices.timeout_seconds = 1;
  session.run(6);  // the first token has the usual timeout
  session.client.disconnect(session.now());
  session.client.connect([&] { return session.next_token(); }, session.now());
  session.run(6);
  ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
  expect_near(waits_of(session, 4), {0.25, 0.5, 1, 2});
  session.run(3);  // shorter than five seconds, so the connection is not steady
  ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
  expect_near(waits_of(session, 2), {4, 4});
  session.run(6);
  ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
  expect_near(waits_of(session, 2), {0.25, 0.5});
}

// While there is no token, the client says why.
TEST(ClientReturn, SaysWhyTheSourceHasNoToken) {
  client::ClientOptions options;
  options.reconnect = 20 * net::kSecond;
  Played session("free:8", options);
  session.run(2);
  session.has_tokens = false;
  session.run(6, false);
  const std::string lost = session.client.problem();
  EXPECT_EQ(lost, "the server at 0.0.0.1:4770 fell silent");
  session.why_none = "the key is damaged";
  session.run(1, false);
  EXPECT_EQ(session.client.problem(), lost + "; the key is damaged");
  session.why_none = "the key is gone";
  session.run(1, false);
  EXPECT_EQ(session.client.problem(), lost + "; the key is gone");
  session.has_tokens = true;
  session.run(1.0 / 144, false);
  EXPECT_EQ(session.client.problem(), lost);
  session.run(2);
  EXPECT_EQ(session.client.phase(), ClientPhase::connected);
  EXPECT_EQ(session.client.problem(), "");
  session.has_tokens = false;
  session.run(30, false);
  EXPECT_EQ(session.client.phase(), ClientPhase::ended);
  EXPECT_EQ(session.client.problem(), lost + "; the key is gone");
}

// If there was no connection yet, the reason for the missing token is the whole sentence.
TEST(ClientReturn, SaysWhyThereIsNoFirstToken) {
  Played session("free:8");
  client::Client other(session.environment());
  bool has_token = false;
  other.connect(
      [&] {
        return Result(has_token ? client::TokenOffer{session.token(3)}
                                : client::TokenOffer{{}, "the key is empty"});
      },
      session.now());
  EXPECT_EQ(other.phase(), ClientPhase::connecting);
  EXPECT_EQ(other.problem(), "the key is empty");
  has_token = true;
  other.update(session.now());
  EXPECT_EQ(other.problem(), "");
}

// A client counts for its whole life. A restart of the server (a new epoch) does not reset its
// counts.
TEST(ClientReturn, HitchesAndJumpsAddUpAcrossEpochs) {
  Played session("free:8");
  const auto stumble = [&](auto tick) {
    session.network.now += 400 * net::kMillisecond;  // a hitch: the program pauses
    session.run_client(2, tick);
    session.run_client(1.5, [] {});  // the server pauses, and then makes all ticks at once: a jump
    for (int i = 0; i < 90; ++i) tick();
    session.run_client(2, tick);
  };
  const auto tick_first = [&] { session.server.tick(session.now()); };
  session.run(2);
  stumble(tick_first);
  const client::ClientStats before = session.client.stats();
  EXPECT_EQ(before.hitches, 1u);
  EXPECT_EQ(before.jumps, 1u);

  const std::uint64_t epoch = session.client.welcome().epoch;
  test::ServedWorld second(session.world.scene(), session);
  const auto tick_second = [&] { second.server.tick(session.now()); };
  session.run_client(12, tick_second);  // the client falls silent to the server, and comes back
  ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
  ASSERT_NE(session.client.welcome().epoch, epoch);
  EXPECT_EQ(session.client.stats().hitches, before.hitches);
  EXPECT_EQ(session.client.stats().jumps, before.jumps);
  stumble(tick_second);
  EXPECT_EQ(session.client.stats().hitches, before.hitches + 1);
  EXPECT_EQ(session.client.stats().jumps, before.jumps + 1);
}

// Balls that bounce on a plane at different heights, so that nearly every tick has events.
Scene bouncing_balls() {
  std::string bodies = R"({"kind": "anchor", "shape": 0})";
  for (int i = 0; i < 100; ++i) {
    bodies += R"(, {"shape": 1, "position": [)" + std::to_string(3 * i) + ", " +
              std::to_string(0.56 + 0.001 * i) + ", 0]}";
  }
  return host::scene_of_json(R"({"gravity": [0, -9.81, 0], "shapes": [)"
                             R"({"parts": [{"kind": "plane"}]},)"
                             R"({"parts": [{"radius": 0.5, "restitution": 1}]}], "bodies": [)" +
                             bodies + "]}")
      .value();
}

// Events that a program never takes do not fill the memory: the client keeps those that reach
// EventList::kEventsMax, and counts all others as missed. A follower gets events from the world
// that it steps.
TEST(ClientReturn, KeepsABoundedNumberOfEvents) {
  for (const bool follow : {false, true}) {
    SCOPED_TRACE(follow ? "follow" : "delta");
    // Most events of an item: all of a tick with 100 balls, or all of a message.
    const std::size_t most = follow ? 300 : codec::kEventsPerMessage;
    client::ClientOptions options;
    options.events = true;
    options.follow = follow;
    Played session(bouncing_balls(), options);
    session.run(120);
    ASSERT_EQ(session.client.phase(), ClientPhase::connected) << session.client.problem();
    const client::MessageCounters& counters = session.client.connection()->counters().messages;
    const std::uint64_t missed = session.client.stats().events_missed;
    const auto kept = session.client.arrivals().take_events();
    std::uint64_t events = 0;
    for (const codec::message::Events& message : kept) events += message.events.size();
    EXPECT_GE(events, client::EventList::kEventsMax);
    EXPECT_LT(events, client::EventList::kEventsMax + most);
    EXPECT_GT(missed, 0u);
    EXPECT_EQ(counters.events_missed, 0u);
    EXPECT_EQ(events + missed, counters.events);
    EXPECT_TRUE(session.client.arrivals().take_events().empty());
    session.run(1);
    EXPECT_GT(session.client.arrivals().take_events().size(), 0u);  // there is room again
    EXPECT_EQ(session.client.stats().events_missed, missed);
  }
}

}  // namespace
}  // namespace orrery

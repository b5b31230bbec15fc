// Owns the tests of a session that clients follow: one process, virtual time, a bad network.
#include "server/followers.h"

#include <spdlog/spdlog.h>

#include <memory>

#include "client/lib/bot.h"
#include "common/world/scenes.h"
#include "gtest/gtest.h"
#include "server/server.h"
#include "tests/support/memory_log.h"
#include "tests/support/simulated_network.h"
#include "tests/support/tokens.h"

namespace orrery {
namespace {

using test::access_of;
using test::address_of;
using test::LinkFaults;
using test::Port;
using test::SimulatedNetwork;
using test::token_for;

constexpr Nanoseconds kTick = kSecond / 60;

// A client that does nothing but follow, in a place of its own on the network.
struct Guest {
  Guest(SimulatedNetwork& network, const Access& access, std::uint32_t host,
        std::optional<Fault> fault)
      : port(network, address_of(host)),
        follower(fault),
        connection(port, token_for(access, network, host), network.now, false, &follower) {}

  void update(Nanoseconds now) {
    alignas(16) std::array<std::uint8_t, kPacketBytesMax + 1> buffer;
    Address from;
    while (const auto size = port.receive(from, buffer)) {
      largest = std::max(largest, *size);
      ++datagrams;
      connection.receive(from, Bytes(buffer).first(*size), now);
    }
    connection.update(now);
  }
  std::uint64_t tick() const { return follower.world() ? follower.world()->tick.value : 0; }

  Port port;
  Follower follower;
  Connection connection;
  std::size_t largest = 0;  // datagram
  std::uint64_t datagrams = 0;
};

struct Session {
  Session(const char* scene, std::uint64_t seed, LinkFaults faults)
      : network(seed, faults),
        world(built_in_scene(scene).value()),
        log(sink, make_log_header(world, "test", SessionId{})),
        server(world, log, port, port, access, executor, journal, network.now) {
    spdlog::set_level(spdlog::level::off);
  }

  void add_bot(bool follows) {
    ports.push_back(std::make_unique<Port>(network, address_of(++host)));
    bots.push_back(std::make_unique<Bot>(*ports.back(), token_for(access, network, host), host,
                                         network.now,
                                         follows ? std::make_unique<Follower>() : nullptr));
  }
  Guest& add_guest(std::optional<Fault> fault = {}) {
    guests.push_back(std::make_unique<Guest>(network, access, ++host, fault));
    return *guests.back();
  }

  void tick() {
    network.now += kTick;
    server.tick(network.now);
    alignas(16) std::array<std::uint8_t, kPacketBytesMax + 1> buffer;
    Address from;
    for (std::size_t i = 0; i < bots.size(); ++i) {
      while (const auto size = ports[i]->receive(from, buffer)) {
        bots[i]->receive(from, Bytes(buffer).first(*size), network.now);
      }
      bots[i]->update(network.now);
    }
    for (const auto& guest : guests) guest->update(network.now);
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) tick();
  }

  SimulatedNetwork network;
  Port port{network, address_of(1, 4770)};
  Access access = access_of(port.address());
  World world;
  test::MemorySink sink;
  SessionLog log;
  SerialExecutor executor;
  Journal journal;
  Server server;
  std::uint32_t host = 10;
  std::vector<std::unique_ptr<Port>> ports;
  std::vector<std::unique_ptr<Bot>> bots;
  std::vector<std::unique_ptr<Guest>> guests;
};

// Each state that they come to is compared with that of the server, in every tick since the image.
TEST(Followers, ComeToEveryStateOfTheServerOverABadNetwork) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session("playground", seed,
                    {.loss_percent = 10, .duplicate_percent = 10, .delay_max = 60 * kMillisecond});
    for (const bool follows : {false, false, true, true}) session.add_bot(follows);
    Guest& early = session.add_guest();
    session.run(300);
    Guest& late = session.add_guest();
    session.run(300);
    for (const auto& bot : session.bots) bot->finish();
    session.run(120);
    for (const auto& bot : session.bots) {
      bot->stop(session.network.now);
      EXPECT_EQ(bot->report().problems, 0u) << bot->report().first_problem;
      EXPECT_GT(bot->report().commands, 50u);  // who loses a tenth is sent fewer snapshots
      EXPECT_EQ(bot->report().acknowledged, bot->report().commands);
    }
    for (const Guest* guest : {&early, &late}) {
      ASSERT_FALSE(guest->follower.error()) << guest->follower.error()->message;
      EXPECT_FALSE(guest->follower.mismatch());
      EXPECT_GT(guest->tick(), session.world.tick.value - 30);
    }
    EXPECT_GT(early.follower.ticks_checked(), 600u);
    EXPECT_GT(late.follower.ticks_checked(), 300u);
    EXPECT_EQ(session.server.mismatches(), 0u);
  }
}

// Without commands a tick takes one datagram of 50 bytes, all that UDP carries counted; so 24
// kbit/s.
TEST(Followers, ATickIsADatagramOfFiftyBytes) {
  Session session("playground", 1, {});
  Guest& guest = session.add_guest();
  session.run(120);
  EXPECT_EQ(guest.tick(), session.world.tick.value);
  EXPECT_EQ(guest.follower.world()->hash, session.world.hash);
  guest.largest = 0;
  guest.datagrams = 0;
  const std::uint64_t before = guest.connection.counters().bytes_received;
  session.run(600);
  EXPECT_EQ(guest.datagrams, 600u);
  EXPECT_LE(guest.largest, 50u);
  const std::uint64_t bytes = guest.connection.counters().bytes_received - before;
  EXPECT_LE(8 * bytes, 24'000u * 10);
  EXPECT_EQ(guest.tick(), session.world.tick.value);
}

TEST(Followers, CommandsCostWhatTheLogTakesForThem) {
  Session session("playground", 1, {});
  Guest& guest = session.add_guest();
  session.run(60);
  const BodyId body{37};
  ASSERT_TRUE(guest.connection.command(command::Grab{body, {}, {-3.5f, 2, 5}}));
  session.run(10);
  guest.largest = 0;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(guest.connection.command(command::Move{{-3.5f, 2, 5}}));
    session.tick();
  }
  EXPECT_LE(guest.largest, 50u + 16u);
  session.run(30);
  EXPECT_EQ(guest.connection.acknowledged().value, 301u);
  EXPECT_FALSE(guest.follower.mismatch());
  EXPECT_EQ(guest.tick(), session.world.tick.value);
}

// The control: a world that goes wrong in one bit is noticed in that tick, by both sides.
TEST(Followers, AWrongBitIsNoticedInItsTick) {
  Session session("playground", 1, {.loss_percent = 5, .delay_max = 30 * kMillisecond});
  const Fault fault = parse_fault("ulp@200:37.velocity.x").value();
  Guest& wrong = session.add_guest(fault);
  Guest& right = session.add_guest();
  session.run(300);
  ASSERT_TRUE(wrong.follower.mismatch());
  EXPECT_EQ(wrong.follower.mismatch()->tick.value, 200u);
  EXPECT_NE(wrong.follower.mismatch()->ours, wrong.follower.mismatch()->theirs);
  EXPECT_FALSE(right.follower.mismatch());
  EXPECT_EQ(session.server.mismatches(), 1u);
}

// Late joiners take no time from the session: the image goes out over many ticks.
TEST(Followers, ALargeImageComesWhileTheSessionGoesOn) {
  Session session("free:2000", 1, {.loss_percent = 2, .delay_max = 20 * kMillisecond});
  session.run(10);
  Guest& guest = session.add_guest();
  session.run(240);
  ASSERT_TRUE(guest.follower.world());
  EXPECT_FALSE(guest.follower.mismatch());
  EXPECT_GT(guest.tick(), session.world.tick.value - 30);
}

// Who lives but takes nothing is not kept for ever, and nobody else notices.
TEST(Followers, WhoFallsTooFarBehindIsTold) {
  Session session("tumble", 1, {});
  Guest& slow = session.add_guest();
  Guest& quick = session.add_guest();
  session.run(60);
  ASSERT_TRUE(slow.follower.world());
  const auto held = std::move(session.guests.front());
  session.guests.erase(session.guests.begin());
  const auto ring = static_cast<int>(kFollowSeconds * 60);
  for (int i = 0; i < ring + 600 && session.server.followers() == 2; ++i) {
    session.tick();
    // It says that it is there, and hears nothing.
    alignas(16) std::array<std::uint8_t, kPacketBytesMax + 1> buffer;
    Address from;
    while (held->port.receive(from, buffer)) {
    }
    if (i % 60 == 0) held->connection.cast_ray({}, {1, 0, 0}, session.network.now);
  }
  EXPECT_EQ(session.server.followers(), 1u);
  EXPECT_EQ(quick.tick(), session.world.tick.value);
}

// Of ticks that the log does not take nobody hears; then followers go on from a state.
TEST(Followers, GoOnBehindTicksThatTheLogDidNotTake) {
  Session session("tumble", 1, {});
  Guest& guest = session.add_guest();
  session.run(60);
  const std::uint64_t before = guest.tick();
  session.sink.full = true;
  session.run(30);
  EXPECT_EQ(guest.tick(), before);
  session.sink.full = false;
  session.run(30);
  EXPECT_EQ(guest.tick(), session.world.tick.value);
  EXPECT_FALSE(guest.follower.mismatch());
}

TEST(Followers, ModesThatAreNotThereAreRefused) {
  Session session("tumble", 1, {});
  Port port(session.network, address_of(99));
  ClientEndpoint client(port, token_for(session.access, session.network, 99), session.network.now,
                        false, message::Mode::delta);
  for (int i = 0; i < 30; ++i) {
    session.tick();
    alignas(16) std::array<std::uint8_t, kPacketBytesMax + 1> buffer;
    Address from;
    while (const auto size = port.receive(from, buffer)) {
      client.receive(from, Bytes(buffer).first(*size), session.network.now);
    }
    client.update(session.network.now);
  }
  EXPECT_EQ(client.end_reason(), EndReason::other_mode);
}

// --- what a follower makes of a server that keeps no rule ---

TEST(Follower, RefusesWhatCannotBeFollowed) {
  const World world(built_in_scene("tumble").value());
  const auto header = follow_header(make_log_header(world, "test", SessionId{}), world.scene);
  const auto image = follow_image(world);
  std::vector<std::uint8_t> tick;
  follow_tick(world, tick);
  const auto refused = [](std::initializer_list<std::vector<std::uint8_t>> messages) {
    Follower follower;
    for (const auto& message : messages) follower.take(message);
    return follower.error().has_value();
  };
  EXPECT_FALSE(refused({header, image}));
  EXPECT_TRUE(refused({image}));         // of no scene
  EXPECT_TRUE(refused({header, tick}));  // of no state
  EXPECT_TRUE(refused({header, header}));
  EXPECT_TRUE(refused({header, {9}}));  // of no type
  auto broken = header;
  broken.resize(broken.size() / 2);
  EXPECT_TRUE(refused({broken}));
  broken = image;
  broken[broken.size() / 2] ^= 1;
  EXPECT_TRUE(refused({header, broken}));
  EXPECT_TRUE(refused({header, image, {2, 1, 2, 3}}));  // a tick that is cut
}

// Another compiler or processor shows first in what it makes of the scene.
TEST(Follower, FindsThatTheSceneMakesAnotherWorldHere) {
  const World world(built_in_scene("tumble").value());
  LogHeader theirs = make_log_header(world, "test", SessionId{});
  theirs.initial_hash ^= 1;
  Follower follower;
  follower.take(follow_header(theirs, world.scene));
  ASSERT_TRUE(follower.mismatch());
  EXPECT_EQ(follower.mismatch()->tick, Tick{});
  EXPECT_EQ(follower.mismatch()->theirs, theirs.initial_hash);
  EXPECT_EQ(follower.mismatch()->ours, world.hash);
}

TEST(Follower, MismatchesHaveTheDocumentedBytes) {
  const auto bytes = encode_mismatch({Tick{300}, 0x0807060504030201, 0x18});
  const std::vector<std::uint8_t> expected = {0xac, 2,    1, 2, 3, 4, 5, 6, 7,
                                              8,    0x18, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(bytes, expected);
  const auto again = decode_mismatch(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->tick.value, 300u);
  EXPECT_EQ(again->ours, 0x18u);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_mismatch(Bytes(bytes).first(size)));
  }
}

}  // namespace
}  // namespace orrery

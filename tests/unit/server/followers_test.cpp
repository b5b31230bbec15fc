// Tests clients in mode follow: one process, virtual time, a bad network.
#include "server/senders/followers.h"

#include <malloc.h>

#include <algorithm>
#include <memory>

#include "common/world/fault_injector.h"
#include "gtest/gtest.h"
#include "tests/support/bots/seated_bot.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

using test::address_of;
using test::LinkFaults;
using test::Port;
using test::TokenChoices;

// Datagrams with a ticket have at least this size, and all others of these tests are smaller.
constexpr std::size_t kTicketBytes = 1000;

// A client in mode follow, with its own address. It counts tickets, of which one comes in 16 s,
// apart.
struct Guest {
  Guest(test::ServedSession& session, std::uint32_t host, const net::ConnectToken& token,
        std::optional<session::Fault> fault)
      : port(session.network, address_of(host)),
        follower(fault),
        connection(port, token, session.now(), false, &follower) {}

  void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now) {
    if (datagram.size() >= kTicketBytes) {
      ticket_bytes += datagram.size();
    } else {
      largest = std::max(largest, datagram.size());
      ++datagrams;
    }
    bytes += static_cast<double>(datagram.size()) +
             (net::CongestionControl::kDatagramBytes - net::kPacketBytesMax);
    connection.receive(from, datagram, now);
  }
  void update(net::Nanoseconds now) { connection.update(now); }
  std::uint64_t tick() const { return follower.world() ? follower.world()->tick().value : 0; }

  Port port;
  client::Follower follower;
  client::Connection connection;
  std::size_t largest = 0;  // largest received datagram, in bytes
  std::uint64_t ticket_bytes = 0;
  std::uint64_t datagrams = 0;
  double bytes = 0;  // with headers of UDP and IP
};

struct Session : test::ServedSession {
  using ServedSession::ServedSession;

  void add_bot(bool follows) {
    client::BotOptions options;
    options.seed = ++host;
    options.follow = follows;
    bots.push_back(std::make_unique<test::SeatedBot>(*this, host, options));
  }
  Guest& add_guest(std::optional<session::Fault> fault = {}, const TokenChoices& choices = {}) {
    ++host;
    guests.push_back(std::make_unique<Guest>(*this, host, token(host, choices), fault));
    return *guests.back();
  }

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      tick();
      for (const auto& bot : bots) bot->update(now());
      for (const auto& guest : guests) test::update(*guest, guest->port, now());
    }
  }

  std::uint32_t host = 10;
  std::vector<std::unique_ptr<test::SeatedBot>> bots;
  std::vector<std::unique_ptr<Guest>> guests;
};

// Returns the allocated bytes, or 0 if a sanitizer replaces malloc().
std::int64_t allocated() {
  const auto now = mallinfo2();
  return static_cast<std::int64_t>(now.uordblks + now.hblkhd);
}

Scene scene_of(const char* name, std::uint32_t tick_rate) {
  Scene scene = built_in_scene(name).value();
  scene.tick_rate = tick_rate;
  return scene;
}

// Followers compare their state with the server's in every tick after their image.
TEST(Followers, ComeToEveryStateOfTheServerOverABadNetwork) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session(
        "playground", seed,
        {.loss_percent = 10, .duplicate_percent = 10, .delay_max = 60 * net::kMillisecond});
    for (const bool follows : {false, false, true, true}) session.add_bot(follows);
    Guest& early = session.add_guest();
    session.run(300);
    Guest& late = session.add_guest();
    session.run(300);
    for (const auto& bot : session.bots) bot->bot->finish();
    session.run(120);
    for (const auto& bot : session.bots) {
      bot->stop(session.now());
      EXPECT_EQ(bot->bot->report().problems, 0u) << bot->bot->report().first_problem;
      EXPECT_GT(bot->bot->report().commands,
                50u);  // a bot acts once per snapshot, and some snapshots are lost
      EXPECT_EQ(bot->bot->report().acknowledged, bot->bot->report().commands);
    }
    for (const Guest* guest : {&early, &late}) {
      ASSERT_FALSE(guest->follower.error()) << guest->follower.error()->message;
      EXPECT_FALSE(guest->follower.mismatch());
      EXPECT_GT(guest->tick(), session.world.tick().value - 30);
    }
    EXPECT_GT(early.follower.ticks_checked(), 600u);
    EXPECT_GT(late.follower.ticks_checked(), 300u);
    EXPECT_EQ(session.server.mismatches(), 0u);
  }
}

// At this rate limit, the image of 2,000 bodies takes seconds. The ticks after it fit into the
// limit. Pieces count with their headers.
TEST(Followers, NothingLeavesBeyondTheLimitOfAClient) {
  for (const std::size_t datagram_bytes : {net::kPacketBytesMax, net::kDatagramBytesMin}) {
    SCOPED_TRACE(datagram_bytes);
    Session session("free:2000");
    session.server.limit_clients({net::CongestionControl::kRateMin, datagram_bytes});
    Guest& guest = session.add_guest();
    for (int second = 0; second < 20; ++second) {
      const double before = guest.bytes;
      session.run(60);
      ASSERT_LE(guest.bytes - before, 1.02 * net::CongestionControl::kRateMin +
                                          2 * net::CongestionControl::kDatagramBytes);
    }
    EXPECT_GT(guest.bytes, 8 * net::CongestionControl::kRateMin);
    ASSERT_FALSE(guest.follower.error()) << guest.follower.error()->message;
    EXPECT_GT(guest.tick(), session.world.tick().value - 30);
    EXPECT_LE(guest.largest, datagram_bytes);
  }
}

// Without commands, a tick takes one datagram of at most 50 bytes, without headers of UDP and IP:
// 24 kbit/s. Packet sequences, which are longer for the last of 32 servers of a token, fit too.
TEST(Followers, ATickIsADatagramOfFiftyBytes) {
  for (const std::uint32_t others : {0u, 31u}) {
    Session session("playground");
    Guest& guest = session.add_guest({}, {.other_servers = others});
    session.run(120);
    EXPECT_EQ(guest.tick(), session.world.tick().value);
    EXPECT_EQ(guest.follower.world()->hash(), session.world.hash());
    guest.largest = 0;
    guest.datagrams = 0;
    guest.ticket_bytes = 0;
    const std::uint64_t before = guest.connection.counters().bytes_received;
    session.run(600);
    EXPECT_EQ(guest.datagrams, 600u);
    EXPECT_LE(guest.largest, 50u);
    const std::uint64_t bytes = guest.connection.counters().bytes_received - before;
    EXPECT_LE(8 * (bytes - guest.ticket_bytes), 24'000u * 10);
    EXPECT_EQ(guest.tick(), session.world.tick().value);
  }
}

TEST(Followers, CommandsCostWhatTheLogTakesForThem) {
  Session session("playground");
  Guest& guest = session.add_guest();
  session.run(60);
  const BodyId body{37};
  ASSERT_TRUE(guest.connection.command(command::Grab{body, {}, {-3.5f, 2, 5}}));
  session.run(10);
  guest.largest = 0;
  for (int i = 0; i < 300; ++i) {
    const float x = i % 2 == 0 ? -3.4f : -3.5f;  // each move changes the target
    ASSERT_TRUE(guest.connection.command(command::Move{{x, 2, 5}}));
    session.run(1);
  }
  EXPECT_GT(guest.largest, 50u);
  EXPECT_LE(guest.largest, 50u + 16u);
  session.run(30);
  EXPECT_EQ(guest.connection.commands().acknowledged().value, 301u);
  EXPECT_FALSE(guest.follower.mismatch());
  EXPECT_EQ(guest.tick(), session.world.tick().value);
}

// Control: a follower whose world differs in one bit notices it in that tick, and the server learns
// of it.
TEST(Followers, AWrongBitIsNoticedInItsTick) {
  Session session("playground", 1, {.loss_percent = 5, .delay_max = 30 * net::kMillisecond});
  const session::Fault fault = session::parse_fault("ulp@200:37.velocity.x").value();
  Guest& wrong = session.add_guest(fault);
  Guest& right = session.add_guest();
  session.run(300);
  ASSERT_TRUE(wrong.follower.mismatch());
  EXPECT_EQ(wrong.follower.mismatch()->tick.value, 200u);
  EXPECT_NE(wrong.follower.mismatch()->ours, wrong.follower.mismatch()->theirs);
  EXPECT_FALSE(right.follower.mismatch());
  EXPECT_EQ(session.server.mismatches(), 1u);
}

// A program that found a mismatch waits for has_reported() before it exits.
TEST(Followers, WhatHasBeenReportedTheServerKnows) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session("tumble", seed, {.loss_percent = 50, .delay_max = 100 * net::kMillisecond});
    const Guest& wrong = session.add_guest(session::parse_fault("ulp@900:0.velocity.x").value());
    for (int i = 0; i < 1800 && !wrong.follower.mismatch(); ++i) session.run(1);
    ASSERT_TRUE(wrong.follower.mismatch());
    EXPECT_FALSE(wrong.connection.has_reported());
    for (int i = 0; i < 1800 && !wrong.connection.has_reported(); ++i) session.run(1);
    EXPECT_EQ(session.server.mismatches(), 1u);
  }
}

// The image is sent over many ticks, so late joiners do not delay the session.
TEST(Followers, ALargeImageComesWhileTheSessionGoesOn) {
  Session session("free:2000", 1, {.loss_percent = 2, .delay_max = 20 * net::kMillisecond});
  session.run(10);
  Guest& guest = session.add_guest();
  for (int i = 0; i < 1200 && guest.follower.ticks_checked() < 10; ++i) session.run(1);
  session.run(240);
  ASSERT_TRUE(guest.follower.world());
  EXPECT_FALSE(guest.follower.mismatch());
  EXPECT_GT(guest.tick(), session.world.tick().value - 30);
}

constexpr std::int32_t kPatience = 300;  // seconds: longer than ticks are kept for followers

// A client that takes no data is removed, without effect on the others.
TEST(Followers, WhoFallsTooFarBehindIsTold) {
  Session session("tumble");
  session.add_guest({}, {.timeout_seconds = kPatience});
  session.run(60);
  ASSERT_TRUE(session.guests.back()->follower.world());
  session.guests.pop_back();
  Guest& quick = session.add_guest();
  session.run(60);
  EXPECT_EQ(session.server.followers(), 2u);
  const auto ring = static_cast<int>(server::kFollowSeconds * 60);
  for (int i = 0; i < ring + 600 && session.server.followers() == 2; ++i) session.run(1);
  EXPECT_EQ(session.server.followers(), 1u);
  EXPECT_EQ(quick.tick(), session.world.tick().value);
}

// Clients join one after another. Each disappears once it has the scene, while its state is sent.
TEST(Followers, ThoseWhoVanishHoldFewStates) {
  Session session(scene_of("free:4000", 30));
  const std::size_t image = session::follow_image(session.world).size();
  const auto held = [&] {
    return allocated() - static_cast<std::int64_t>(session.sink.bytes.capacity());
  };
  std::vector<std::unique_ptr<Port>> ports;
  std::int64_t before = 0;
  while (session.world.tick().value < 50 * 30) {
    if (ports.size() == 1) before = held();
    const auto host = static_cast<std::uint32_t>(100 + ports.size());
    Port& port = *ports.emplace_back(std::make_unique<Port>(session.network, address_of(host)));
    net::ClientEndpoint client(port, session.token(host, {.timeout_seconds = kPatience}),
                               session.now(), false, codec::message::Mode::follow);
    for (bool has_scene = false; !has_scene;) {
      session.run(1);
      test::update(client, port, session.now());
      while (client.state() == net::ClientState::connected && client.next_message())
        has_scene = true;
      for (const auto& each : ports) net::drain(*each, [](const net::Address&, Bytes) {});
    }
  }
  EXPECT_EQ(session.server.followers(), ports.size());
  EXPECT_GT(ports.size(), 20u);
  // The server holds at most five states, and less than 20 KB more for each connection.
  EXPECT_LE(held() - before, static_cast<std::int64_t>(5 * image + ports.size() * 20'000));
  const Guest& guest = session.add_guest();
  session.run(120);
  EXPECT_EQ(guest.tick(), session.world.tick().value);
}

// Every tick has the maximum number of commands. When the last follower leaves, the memory of the
// kept ticks is freed.
TEST(Followers, TicksThatAreKeptHaveTheirLimit) {
  Session session(scene_of("tumble", 30));
  const net::ServerConfig config{1, 30, 1.0 / 30, 3, "test", session.access};
  server::Clients clients{session.world,
                          session.port,
                          {session.port, config, session.now()},
                          server::Inbox(1),
                          server::Absences(session.world),
                          true};
  server::Followers followers(
      clients, std::make_shared<const std::vector<std::uint8_t>>(
                   session::follow_header(session.log.header(), session.world.scene())));
  followers.join(ClientId{1});
  const command::Move move{{1, 2, 3}};
  FaultInjector injector(session.world);
  injector.state().applied.assign(limits::kCommandsPerTickMax, Command{ClientId{1}, {}, move});
  const std::int64_t before = allocated();
  std::vector<std::uint8_t> record;
  ByteWriter out(record);
  session::encode_tick(session.world.hash(), session.world.applied(), out);
  for (int i = 0; i < 1200; ++i) {
    ++injector.state().tick.value;
    followers.observe(record);
  }
  EXPECT_LE(allocated() - before, std::int64_t{server::kFollowBytesMax} + (1 << 20));
  followers.leave(ClientId{1});
  followers.observe(record);
  EXPECT_LE(allocated() - before, 1 << 20);
}

// Followers get no ticks that the log could not store. Later they continue from a new state.
TEST(Followers, GoOnBehindTicksThatTheLogDidNotTake) {
  Session session("tumble");
  Guest& guest = session.add_guest();
  session.run(60);
  const std::uint64_t before = guest.tick();
  session.sink.full = true;
  session.run(30);
  EXPECT_EQ(guest.tick(), before);
  session.sink.full = false;
  session.run(30);
  EXPECT_EQ(guest.tick(), session.world.tick().value);
  EXPECT_FALSE(guest.follower.mismatch());
}

// --- A follower and a hostile server ---

TEST(Follower, RefusesWhatCannotBeFollowed) {
  const World world(built_in_scene("tumble").value());
  const auto header = session::follow_header(
      session::make_log_header(world, "test", codec::SessionId{}), world.scene());
  const auto image = session::follow_image(world);
  std::vector<std::uint8_t> record;
  ByteWriter out(record);
  session::encode_tick(world.hash(), world.applied(), out);
  std::vector<std::uint8_t> tick;
  session::follow_tick(record, tick);
  const auto refused = [](std::initializer_list<std::vector<std::uint8_t>> messages) {
    client::Follower follower;
    for (const auto& message : messages) follower.take(message);
    return follower.error().has_value();
  };
  EXPECT_FALSE(refused({header, image}));
  EXPECT_TRUE(refused({image}));         // without a scene
  EXPECT_TRUE(refused({header, tick}));  // without a state
  EXPECT_TRUE(refused({header, header}));
  EXPECT_TRUE(refused({header, {9}}));  // unknown type
  auto broken = header;
  broken.resize(broken.size() / 2);
  EXPECT_TRUE(refused({broken}));
  broken = image;
  broken[broken.size() / 2] ^= 1;
  EXPECT_TRUE(refused({header, broken}));
  EXPECT_FALSE(refused({header, image, tick}));
  tick.pop_back();
  EXPECT_TRUE(refused({header, image, tick}));
}

// If another compiler or processor computes other bits, the initial state of the scene may already
// differ.
TEST(Follower, FindsThatTheSceneMakesAnotherWorldHere) {
  const World world(built_in_scene("tumble").value());
  codec::LogHeader theirs = session::make_log_header(world, "test", codec::SessionId{});
  theirs.initial_hash ^= 1;
  client::Follower follower;
  follower.take(session::follow_header(theirs, world.scene()));
  ASSERT_TRUE(follower.mismatch());
  EXPECT_EQ(follower.mismatch()->tick, Tick{});
  EXPECT_EQ(follower.mismatch()->theirs, theirs.initial_hash);
  EXPECT_EQ(follower.mismatch()->ours, world.hash());
}

TEST(Follower, MismatchesHaveTheDocumentedBytes) {
  const auto bytes = session::encode_mismatch({Tick{300}, 0x0807060504030201, 0x18});
  const std::vector<std::uint8_t> expected = {0xac, 2,    1, 2, 3, 4, 5, 6, 7,
                                              8,    0x18, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(bytes, expected);
  const auto again = session::decode_mismatch(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->tick.value, 300u);
  EXPECT_EQ(again->ours, 0x18u);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(session::decode_mismatch(Bytes(bytes).first(size)));
  }
}

}  // namespace
}  // namespace orrery

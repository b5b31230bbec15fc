// Tests that clients learn which of their commands were refused, and why.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "client/lib/connection.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

using codec::message::Refusal;
using test::address_of;
using test::Port;

enum class Mode { plain, delta, follow };

// A client that gives random commands, and remembers the refusals that arrive.
struct Player {
  Player(test::ServedSession& session, std::uint32_t host, Mode mode, Role role)
      : follower(mode == Mode::follow ? std::make_unique<client::Follower>() : nullptr),
        port(session.network, address_of(host)),
        connection(port, session.token(host, {.role = role}), session.now(), false, follower.get(),
                   mode == Mode::delta),
        random(host) {}

  void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now) {
    connection.receive(from, datagram, now);
    const auto& some = connection.messages().refusals();
    refusals.insert(refusals.end(), some.begin(), some.end());
  }
  void update(net::Nanoseconds now) { connection.update(now); }

  // Gives a command that may be refused: bodies of the playground are guarded, fixed or gone.
  void play() {
    if (!connection.connected()) return;
    const BodyId body{random.below(60)};
    switch (random.below(4)) {
      case 0:
        connection.command(command::Move{{1, 2, 3}});
        return;
      case 1:
        connection.command(command::Remove{body});
        return;
      case 2:
        connection.command(command::SetParameter{Parameter::gravity, {0, -9, 0}});
        return;
      default:
        connection.command(command::Impulse{body, {0, 1, 0}});
    }
  }

  std::unique_ptr<client::Follower> follower;
  Port port;
  client::Connection connection;
  SplitMix64 random;
  std::vector<Refusal> refusals;
};

// A server, and the commands that it refused of each client in each tick.
struct Session : test::ServedSession {
  using ServedSession::ServedSession;

  Player& add(Mode mode, Role role = Role::play) {
    const auto host = static_cast<std::uint32_t>(2 + players.size());
    players.push_back(std::make_unique<Player>(*this, host, mode, role));
    return *players.back();
  }
  void run(int ticks, bool plays = true) {
    for (int i = 0; i < ticks; ++i) {
      tick();
      for (const RefusedCommand& r : server.refusals().refused()) {
        refused[r.client.value].push_back({world.tick(), r.sequence, r.reason});
      }
      for (const auto& player : players) {
        if (plays) player->play();
        test::update(*player, player->port, now());
      }
    }
  }
  std::vector<Refusal>& refused_of(const Player& player) {
    return refused[player.connection.endpoint().welcome().client.value];
  }

  std::map<std::uint32_t, std::vector<Refusal>> refused;
  std::vector<std::unique_ptr<Player>> players;
};

TEST(ServerRefusals, ReachClientsOfEveryModeOnABadNetwork) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session("playground", seed,
                    {.loss_percent = 20,
                     .duplicate_percent = 5,
                     .delay_min = 10 * net::kMillisecond,
                     .delay_max = 40 * net::kMillisecond});
    for (const Mode mode : {Mode::plain, Mode::delta, Mode::follow}) session.add(mode);
    session.run(600);
    session.run(300, false);
    std::uint64_t all = 0;
    for (const auto& player : session.players) {
      ASSERT_TRUE(player->connection.connected());
      EXPECT_GT(player->refusals.size(), 100u);
      EXPECT_EQ(player->refusals, session.refused_of(*player));
      EXPECT_EQ(player->connection.counters().messages.refused, player->refusals.size());
      EXPECT_EQ(player->connection.counters().messages.refusals_missed, 0u);
      EXPECT_EQ(player->connection.counters().malformed, 0u);
      all += player->refusals.size();
    }
    EXPECT_EQ(session.server.refusals().counters().refused, all);
    EXPECT_EQ(session.server.refusals().counters().left_out, 0u);
  }
}

TEST(ServerRefusals, TellAWatcherThatItsRoleIsTheReason) {
  Session session("playground");
  Player& watcher = session.add(Mode::delta, Role::watch);
  session.run(120);
  ASSERT_GT(watcher.refusals.size(), 60u);
  const auto is_role = [](const Refusal& r) {
    return r.reason == Verdict::role || r.reason == Verdict::no_grab;  // a move names no body
  };
  EXPECT_TRUE(std::ranges::all_of(watcher.refusals, is_role));
}

// While a large scene or state is on its way, nothing else fits into the reliable channel. At most
// 64 refusals wait. The client learns how many it has missed.
TEST(ServerRefusals, BeyondThoseThatMayWaitAreCounted) {
  Session session("free:16000", 1, {.delay_min = 100 * net::kMillisecond});
  Player& player = session.add(Mode::follow);
  for (int i = 0; i < 500; ++i) {
    if (player.connection.connected() && i < 300) {
      player.connection.command(command::SetParameter{Parameter::gravity, {0, 1, 0}});
    }
    session.run(1, false);
  }
  const auto& counters = player.connection.counters().messages;
  ASSERT_TRUE(player.connection.scene());
  EXPECT_GT(session.server.refusals().counters().left_out, 0u);
  EXPECT_GT(counters.refused, codec::kRefusalsPerMessage);
  EXPECT_EQ(counters.refusals_missed, session.server.refusals().counters().left_out);
  EXPECT_EQ(counters.refused + counters.refusals_missed, player.connection.counters().commands);
}

// A malformed command is refused by itself. The commands after it are applied.
TEST(ServerRefusals, OfAMalformedCommandLetOthersPass) {
  Session session("playground");
  Port port(session.network, address_of(9));
  net::ClientEndpoint endpoint(port, session.token(9), session.now(), false,
                               codec::message::Mode::follow);
  std::vector<Refusal> refusals;
  const auto run = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) {
      net::drain(port, [&](const net::Address& from, Bytes datagram) {
        const auto said = endpoint.receive(from, datagram, session.now());
        if (!said || said->type != net::MessageType::reliable) return;
        while (const auto message = endpoint.next_message()) {
          if (const auto some = codec::decode_refusals(*message)) refusals = some->refusals;
        }
      });
      endpoint.update(session.now());
      session.tick();
    }
  };
  run(30);
  ASSERT_EQ(endpoint.state(), net::ClientState::connected);
  std::vector<codec::message::TimedCommand> commands;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    const command::Impulse impulse{BodyId{37}, {1, 2, 3}};
    commands.push_back({Tick{}, {endpoint.welcome().client, Sequence{i}, impulse}});
  }
  std::vector<std::uint8_t> message;
  codec::encode_input(commands, message);
  const std::uint8_t three[] = {0, 0, 0x40, 0x40};
  auto at = std::search(message.begin(), message.end(), std::begin(three), std::end(three));
  at = std::search(at + 4, message.end(), std::begin(three), std::end(three));
  ASSERT_NE(at, message.end());
  at[2] = 0xc0, at[3] = 0x7f;  // not a number
  endpoint.send(net::MessageType::input, message, session.now());
  session.tick();
  EXPECT_EQ(session.world.applied().size(), 2u);
  run(10);
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].sequence, Sequence{2});
  EXPECT_EQ(refusals[0].reason, Verdict::malformed);
}

}  // namespace
}  // namespace orrery

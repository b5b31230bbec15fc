// Tests that clients of every mode get the values of the session, and notices.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/lib/connection.h"
#include "tests/support/served_session.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using test::address_of;
using test::bytes_of;
using test::Port;

enum class Mode { plain, delta, follow };

std::string string_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

using Table = std::map<std::string, std::string>;

Table table_of(std::span<const NamedValue> values) {
  Table table;
  for (const NamedValue& v : values) table[string_of(v.key.view())] = string_of(v.value.view());
  return table;
}

// A client that remembers its notices.
struct Player {
  Player(test::ServedSession& session, std::uint32_t host, Mode mode, Role role)
      : follower(mode == Mode::follow ? std::make_unique<client::Follower>() : nullptr),
        port(session.network, address_of(host)),
        connection(port, session.token(host, {.role = role}), session.now(), false, follower.get(),
                   mode == Mode::delta) {}

  void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now) {
    connection.receive(from, datagram, now);
    for (const auto& m : connection.messages().notices()) told.push_back(string_of(m.text.view()));
  }
  void update(net::Nanoseconds now) { connection.update(now); }
  Table values() const { return table_of(connection.messages().values()); }
  ClientId id() const { return connection.endpoint().welcome().client; }

  std::unique_ptr<client::Follower> follower;
  Port port;
  client::Connection connection;
  std::vector<std::string> told;
};

struct Session : test::ServedSession {
  using ServedSession::ServedSession;

  Player& add(Mode mode, Role role = Role::play) {
    const auto host = static_cast<std::uint32_t>(2 + players.size());
    players.push_back(std::make_unique<Player>(*this, host, mode, role));
    return *players.back();
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      tick();
      for (const auto& player : players) test::update(*player, player->port, now());
    }
  }

  std::vector<std::unique_ptr<Player>> players;
};

command::SetValue set(const std::string& key, const std::string& value) {
  return {bytes_of<command::Key>(key), bytes_of<command::Value>(value)};
}

constexpr test::LinkFaults kBadPath{.loss_percent = 20,
                                    .duplicate_percent = 5,
                                    .delay_min = 10 * net::kMillisecond,
                                    .delay_max = 40 * net::kMillisecond};

TEST(ServerValues, ReachClientsOfEveryModeOnABadNetwork) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session("boxes:5", seed, kBadPath);
    Player& admin = session.add(Mode::delta, Role::admin);
    for (const Mode mode : {Mode::plain, Mode::delta, Mode::follow}) session.add(mode);
    session.run(60);
    SplitMix64 draw(seed);
    for (int i = 0; i < 300; ++i) {
      const std::string key = "score/" + std::to_string(draw.below(20));
      admin.connection.command(set(key, draw.below(4) == 0 ? "" : std::to_string(i)));
      session.run(1);
      if (i == 150) session.add(Mode::plain), session.add(Mode::delta);  // late joiners
    }
    session.run(120);
    const Table expected = table_of(session.world.controls().values);
    EXPECT_GT(expected.size(), 5u);
    for (const auto& player : session.players) {
      ASSERT_TRUE(player->connection.connected());
      EXPECT_EQ(player->values(), expected);
      EXPECT_EQ(player->connection.counters().malformed, 0u);
    }
  }
}

TEST(ServerValues, ATellReachesOneClientOrAllInOrder) {
  Session session("boxes:5", 7, kBadPath);
  Player& admin = session.add(Mode::delta, Role::admin);
  for (const Mode mode : {Mode::plain, Mode::delta, Mode::follow}) session.add(mode);
  session.run(60);
  std::map<std::uint32_t, std::vector<std::string>> expected;
  SplitMix64 draw(3);
  for (int i = 0; i < 120; ++i) {
    const std::string text = "note " + std::to_string(i);
    const Player& one = *session.players[draw.below(4)];
    const bool all = draw.below(2) == 0;
    admin.connection.command(
        command::Tell{all ? ClientId{} : one.id(), bytes_of<command::Value>(text)});
    for (const auto& player : session.players) {
      if (all || player->id() == one.id()) expected[player->id().value].push_back(text);
    }
    session.run(1);
  }
  session.run(120);
  for (const auto& player : session.players) {
    EXPECT_EQ(player->told, expected[player->id().value]);
    EXPECT_GT(player->told.size(), 40u);
  }
}

// 1,000 values reach a client that joins late, in one message of many fragments.
TEST(ServerValues, AThousandValuesReachALateClient) {
  Session session("boxes:5");
  Player& admin = session.add(Mode::delta, Role::admin);
  session.run(30);
  for (int i = 0; i < 1000; ++i) {
    while (!admin.connection.command(set("key/" + std::to_string(i), std::string(256, 'v')))) {
      session.run(1);
    }
    session.run(1);
  }
  session.run(60);
  ASSERT_EQ(session.world.controls().values.size(), 1000u);
  Player& late = session.add(Mode::plain);
  session.run(240);
  EXPECT_EQ(late.values(), table_of(session.world.controls().values));
}

}  // namespace
}  // namespace orrery

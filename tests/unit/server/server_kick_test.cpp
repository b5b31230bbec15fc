// Tests that the server ends the connections of clients that are kicked or banned.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "client/lib/connection.h"
#include "tests/support/served_session.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

enum class KickMode { plain, delta, follow };

// A client of a session, with the client id of its token.
struct Visitor {
  Visitor(test::ServedSession& session, std::uint32_t host, std::uint32_t id, KickMode mode,
          Role role)
      : follower(mode == KickMode::follow ? std::make_unique<client::Follower>() : nullptr),
        port(session.network, test::address_of(host)),
        connection(port, session.token(id, {.role = role}), session.now(), false, follower.get(),
                   mode == KickMode::delta) {}

  EndReason reason() const { return connection.endpoint().end_reason(); }
  std::string text() const {
    const Bytes bytes = connection.endpoint().heard().goodbye.view();
    return {bytes.begin(), bytes.end()};
  }
  ClientId id() const { return connection.endpoint().welcome().client; }

  std::unique_ptr<client::Follower> follower;
  test::Port port;
  client::Connection connection;
};

struct KickSession : test::ServedSession {
  using ServedSession::ServedSession;

  Visitor& add(std::uint32_t id, Role role = Role::play, KickMode mode = KickMode::plain) {
    const auto host = static_cast<std::uint32_t>(20 + visitors.size());
    visitors.push_back(std::make_unique<Visitor>(*this, host, id, mode, role));
    return *visitors.back();
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      tick();
      for (const auto& v : visitors) test::update(v->connection, v->port, now());
    }
  }
  std::uint64_t banned() const {
    return server.endpoint().counters().drops[static_cast<std::size_t>(net::Drop::banned)];
  }

  std::vector<std::unique_ptr<Visitor>> visitors;
};

const auto kSpam = test::bytes_of<command::Reason>("spam");

TEST(ServerKick, EndsTheConnectionOfClientsOfEveryMode) {
  for (const bool bans : {false, true}) {
    KickSession session("boxes:5");
    Visitor& admin = session.add(2, Role::admin);
    std::vector<Visitor*> others;
    for (const KickMode mode : {KickMode::plain, KickMode::delta, KickMode::follow}) {
      others.push_back(&session.add(3 + static_cast<std::uint32_t>(mode), Role::play, mode));
    }
    Visitor& stays = session.add(9);
    session.run(60);
    for (const Visitor* other : others) {
      const ClientId id = other->id();
      admin.connection.command(bans ? CommandPayload(command::Ban{id, kSpam})
                                    : CommandPayload(command::Kick{id, kSpam}));
    }
    session.run(30);
    for (const Visitor* other : others) {
      EXPECT_EQ(other->reason(), bans ? EndReason::banned : EndReason::kicked);
      EXPECT_EQ(other->text(), "spam");
    }
    EXPECT_TRUE(admin.connection.connected() && stays.connection.connected());
    EXPECT_EQ(session.world.controls().clients.size(), 2u);
    // With a new token, only a client that was kicked joins again.
    Visitor& again = session.add(3);
    Visitor& stranger = session.add(10);
    session.run(60);
    EXPECT_EQ(again.reason(), bans ? EndReason::refused_banned : EndReason::none);
    EXPECT_EQ(again.connection.connected(), !bans);
    EXPECT_TRUE(stranger.connection.connected());
    EXPECT_EQ(session.banned() > 0, bans);
  }
}

TEST(ServerKick, NeedsTheRightsOfAnAdmin) {
  KickSession session("boxes:5");
  Visitor& player = session.add(2);
  Visitor& other = session.add(3);
  session.run(60);
  player.connection.command(command::Kick{other.id(), kSpam});
  player.connection.command(command::Ban{other.id(), kSpam});
  session.run(30);
  EXPECT_TRUE(player.connection.connected() && other.connection.connected());
  EXPECT_EQ(player.connection.messages().counters().refused, 2u);
  EXPECT_EQ(session.server.refusals().counters().refused, 2u);
}

// An admin may kick itself, and a client is kicked once however often a tick says so.
TEST(ServerKick, ATickMayKickAClientOftenAndItsGiver) {
  KickSession session("boxes:5");
  Visitor& admin = session.add(2, Role::admin);
  Visitor& other = session.add(3);
  session.run(60);
  for (int i = 0; i < 3; ++i) admin.connection.command(command::Ban{other.id(), kSpam});
  admin.connection.command(command::Kick{admin.id(), {}});
  session.run(30);
  EXPECT_EQ(other.reason(), EndReason::banned);
  EXPECT_EQ(admin.reason(), EndReason::kicked);
  EXPECT_EQ(admin.text(), "");
  EXPECT_EQ(session.world.controls().clients.size(), 0u);
}

// A client that has sent its request, but not yet its response, is banned too.
TEST(ServerKick, ABanStopsAResponse) {
  KickSession session("boxes:5");
  Visitor& late = session.add(3);
  session.tick();
  test::update(late.connection, late.port, session.now());
  session.access.bans->add(3);
  session.run(60);
  EXPECT_FALSE(late.connection.connected());
  EXPECT_GE(session.banned(), 1u);
}

}  // namespace
}  // namespace orrery

// Tests resumption tickets: how a client connects again without its back end, and who cannot.
#include "common/net/packet/ticket.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/net/endpoint_pair.h"

namespace orrery {
namespace {

using test::address_of;
using test::drops;
using test::kServerAddress;
using test::Pair;
using test::Port;
using test::token_for;

constexpr net::Nanoseconds kAWhile = 300 * net::kMillisecond;

// Returns the tickets that a client keeps, the older one first.
std::vector<net::Ticket> tickets_of(const net::ClientEndpoint& client) {
  std::vector<net::Ticket> tickets;
  net::KeptTickets kept = client.heard().tickets;
  while (const net::Ticket* const ticket = kept.next(0)) {
    tickets.push_back(*ticket);
    kept.drop_next();
  }
  return tickets;
}

// Connects the client of a pair, and returns its ticket.
net::ConnectToken ticket_of(Pair& pair) {
  pair.run(kAWhile);
  return tickets_of(*pair.client).at(0).token;
}

// Starts the client again with a token, and runs the pair for a while.
void connect(Pair& pair, const net::ConnectToken& token, net::Nanoseconds time = kAWhile) {
  pair.client.emplace(pair.client_port, token, pair.network.now);
  pair.run(time);
}

// Cuts the network until both sides have noticed it.
void cut(Pair& pair, net::Nanoseconds time = test::kTimeout + net::kSecond) {
  pair.network.is_cut = true;
  pair.run(time);
  pair.network.is_cut = false;
}

TEST(Ticket, LetsAClientReturnAfterACut) {
  Pair pair(1, {}, 4, {.role = Role::admin});
  const net::ConnectToken ticket = ticket_of(pair);
  cut(pair);
  ASSERT_EQ(pair.client->end_reason(), EndReason::silent);
  ASSERT_EQ(pair.leaves, 1);
  connect(pair, pair.token);
  ASSERT_EQ(pair.client->end_reason(), EndReason::refused_used);
  connect(pair, ticket);
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
  EXPECT_EQ(pair.role, Role::admin);
  EXPECT_EQ(tickets_of(*pair.client).size(), 1u);  // for the next time
}

// The server still has the old connection.
TEST(Ticket, GivesAClientItsSlotBack) {
  Pair pair(1, {}, 1);
  const net::ConnectToken ticket = ticket_of(pair);
  connect(pair, ticket);
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
  EXPECT_EQ(pair.reason, EndReason::replaced);
  EXPECT_EQ(pair.server.peers().count(), 1u);
}

// A client that returns again and again fills no memory of used tokens: there is room for eight.
TEST(Ticket, CanBeFollowedByAnotherWithoutEnd) {
  Pair pair(1, {}, 1);
  for (int i = 0; i < 50; ++i) {
    const net::ConnectToken ticket = ticket_of(pair);
    connect(pair, ticket);
    ASSERT_EQ(pair.client->state(), net::ClientState::connected) << i;
  }
}

TEST(Ticket, WorksOnce) {
  Pair pair;
  const net::ConnectToken first = ticket_of(pair);
  pair.run(2 * net::kSecond);
  const net::ConnectToken second = tickets_of(*pair.client).at(1).token;
  ASSERT_NE(first.head.nonce, second.head.nonce);
  connect(pair, second);
  ASSERT_EQ(pair.client->state(), net::ClientState::connected);
  for (const net::ConnectToken& spent : {first, second}) {
    Port thief(pair.network, address_of(9));
    net::ClientEndpoint client(thief, spent, pair.network.now);
    for (const net::Nanoseconds end = pair.network.now + kAWhile; pair.network.now < end;) {
      pair.step();
      net::drain(thief, [&](const net::Address& from, Bytes datagram) {
        client.receive(from, datagram, pair.network.now);
      });
      client.update(pair.network.now);
    }
    EXPECT_EQ(client.end_reason(), EndReason::refused_used);
  }
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
}

// The older ticket is used first, so that one is left if the path dies before another one arrives.
TEST(Ticket, LeavesTheNewerOneValid) {
  Pair pair;
  ticket_of(pair);
  pair.run(2 * net::kSecond);
  const auto tickets = tickets_of(*pair.client);
  ASSERT_EQ(tickets.size(), 2u);
  for (const net::Ticket& ticket : tickets) {
    connect(pair, ticket.token);
    EXPECT_EQ(pair.client->state(), net::ClientState::connected);
  }
}

// A server may have several addresses, and a network may reach only one of them.
TEST(Ticket, IsTriedAtEachAddressOfTheToken) {
  Pair pair(1, {}, 4, {.also = {address_of(77)}});
  pair.token.servers = {address_of(76), kServerAddress, address_of(77)};
  connect(pair, pair.token, 2 * net::kSecond);
  const net::ConnectToken ticket = tickets_of(*pair.client).at(0).token;
  ASSERT_EQ(ticket.servers.size(), 3u);
  EXPECT_EQ(ticket.servers.span()[0], kServerAddress);
  EXPECT_EQ(ticket.servers.span()[1], address_of(76));
  EXPECT_EQ(ticket.servers.span()[2], address_of(77));
}

TEST(Ticket, ExpiresAfterTwoMinutes) {
  for (const std::uint64_t age : {net::kTicketLifeSeconds - 1, net::kTicketLifeSeconds}) {
    Pair pair;
    const net::ConnectToken ticket = ticket_of(pair);
    cut(pair, age * net::kSecond - kAWhile);
    connect(pair, ticket);
    if (age < net::kTicketLifeSeconds) {
      EXPECT_EQ(pair.client->state(), net::ClientState::connected);
    } else {
      EXPECT_EQ(pair.client->end_reason(), EndReason::refused_expired);
    }
  }
}

// Whenever the cut comes, and although one ticket in ten is lost, a client can return for a minute.
TEST(Ticket, IsRenewedSoThatAMinuteIsLeft) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Pair pair(seed, {.loss_percent = 10});
    pair.run(seed * net::kSecond + 2 * net::kSecond);
    const auto tickets = tickets_of(*pair.client);
    ASSERT_FALSE(tickets.empty()) << "seed " << seed;
    EXPECT_GE(tickets.back().until, pair.network.now + 60 * net::kSecond) << "seed " << seed;
  }
}

// The server ends a connection for what its client did, or the client leaves: it must not return
// by itself.
TEST(Ticket, IsVoidAfterTheClientLeftOrWasThrownOut) {
  for (const bool leaves : {true, false}) {
    Pair pair;
    const net::ConnectToken ticket = ticket_of(pair);
    if (leaves) {
      pair.client->disconnect(pair.network.now);
    } else {
      pair.server.disconnect(ClientId{1}, {EndReason::flooded}, pair.network.now);
    }
    pair.run(kAWhile);
    connect(pair, ticket);
    EXPECT_EQ(pair.client->end_reason(), EndReason::refused_used) << leaves;
  }
}

// The client has asked with its ticket, and is thrown out before it answers the challenge.
TEST(Ticket, IsVoidEvenBetweenChallengeAndResponse) {
  Pair pair;
  const net::ConnectToken ticket = ticket_of(pair);
  Port other(pair.network, address_of(9));
  net::ClientEndpoint client(other, ticket, pair.network.now);
  pair.run(test::kStep);
  pair.server.disconnect(ClientId{1}, {EndReason::flooded}, pair.network.now);
  for (int i = 0; i < 30; ++i) {
    pair.step();
    net::drain(other, [&](const net::Address& from, Bytes datagram) {
      client.receive(from, datagram, pair.network.now);
    });
    client.update(pair.network.now);
  }
  EXPECT_EQ(client.state(), net::ClientState::responding);
  EXPECT_EQ(pair.server.peers().count(), 0u);
}

// A newer token of the account, such as one on another device, took the slot.
TEST(Ticket, DoesNotOutrankANewerToken) {
  Pair pair;
  const net::ConnectToken ticket = ticket_of(pair);
  pair.network.now += net::kSecond;
  connect(pair, token_for(pair.access, pair.network, 2));
  ASSERT_EQ(pair.client->state(), net::ClientState::connected);
  connect(pair, ticket);
  EXPECT_NE(pair.client->state(), net::ClientState::connected);
}

// A ticket has the age of the token that began its line: a token that was made later wins.
TEST(Ticket, IsAsOldAsItsToken) {
  Pair pair;
  pair.run(net::kSecond);
  const net::ConnectToken later = token_for(pair.access, pair.network, 2);
  pair.run(net::kSecond);
  connect(pair, ticket_of(pair));
  ASSERT_EQ(pair.client->state(), net::ClientState::connected);
  connect(pair, later);
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
}

// Another server with the same key, and the same server after a restart.
TEST(Ticket, IsForItsRunOfItsServer) {
  Pair first;
  const net::ConnectToken ticket = ticket_of(first);
  Pair second(2);
  connect(second, ticket);
  EXPECT_EQ(second.client->end_reason(), EndReason::refused_before_start);
}

TEST(Ticket, CannotBeAltered) {
  Pair pair;
  const net::ConnectToken ticket = ticket_of(pair);
  for (std::size_t byte = 0; byte < net::kPrivateTokenBytes; byte += 31) {
    net::ConnectToken altered = ticket;
    altered.sealed[byte] ^= 1;
    EXPECT_EQ(pair.inject(address_of(9), test::request(altered)).kind,
              net::ServerEvent::Kind::nothing);
  }
  EXPECT_GT(drops(pair, net::Drop::bad_token), 0u);
  EXPECT_EQ(pair.server.counters().challenges, 1u);
}

// A server that pauses answers nothing, so its clients wait for it. They need no ticket.
TEST(Ticket, APauseOfTheServerEndsNoConnection) {
  for (std::uint64_t pause = 1; pause < 50; ++pause) {
    Pair pair(pause, {.delay_min = 20 * net::kMillisecond, .delay_max = 30 * net::kMillisecond});
    pair.run(3 * net::kSecond);
    ASSERT_FALSE(tickets_of(*pair.client).empty());
    for (const net::Nanoseconds end = pair.network.now + pause * 100 * net::kMillisecond;
         pair.network.now < end;) {
      pair.network.now += test::kStep;
      pair.step_client();
    }
    pair.run(2 * net::kSecond);
    EXPECT_EQ(pair.client->state(), net::ClientState::connected) << pause;
    EXPECT_EQ(pair.joins, 1) << pause;
  }
}

TEST(Ticket, MessagesDecodeOnlyWhole) {
  Pair pair;
  const net::ConnectToken ticket = ticket_of(pair);
  std::vector<std::uint8_t> message;
  net::encode_ticket(ticket, message);
  ASSERT_EQ(message.size(), net::kTicketBytes);
  const auto decoded = net::decode_ticket(message, pair.token, kServerAddress);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(net::encode_connect_token(*decoded), net::encode_connect_token(ticket));
  EXPECT_FALSE(
      net::decode_ticket(Bytes(message).first(message.size() - 1), pair.token, kServerAddress));
  message[15] = 0x7f;  // expires later than any clock
  EXPECT_TRUE(net::decode_ticket(message, pair.token, kServerAddress));
  message[7] = 0xff;  // created after that
  EXPECT_FALSE(net::decode_ticket(message, pair.token, kServerAddress));
}

}  // namespace
}  // namespace orrery

// Tests reliable messages from a server: limits of the queue, and the share of the rate.
#include <memory>
#include <vector>

#include "common/net/client_endpoint.h"
#include "common/net/drain.h"
#include "common/net/server_endpoint.h"
#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"
#include "tests/support/tokens.h"

namespace orrery {
namespace {

using test::access_of;
using test::address_of;
using test::kLaterSequence;
using test::Port;
using test::SimulatedNetwork;
using test::token_for;

constexpr net::Nanoseconds kTick = net::kSecond / 60;
constexpr ClientId kClient{1};

// A server, and a connected client that asked for events.
struct Pair {
  explicit Pair(codec::message::Mode mode = codec::message::Mode::plain)
      : client(client_port, token, network.now, /*events=*/true, mode) {
    for (int i = 0; i < 10; ++i) step();
    EXPECT_EQ(client.state(), net::ClientState::connected);
  }

  void step() {
    network.now += kTick;
    net::drain(server_port, [&](const net::Address& from, Bytes datagram) {
      server.receive(from, datagram, network.now);
    });
    std::vector<net::ServerEvent> left;
    server.update(network.now, left);
    net::drain(client_port, [&](const net::Address& from, Bytes datagram) {
      const auto said = client.receive(from, datagram, network.now);
      if (!said || said->type != net::MessageType::reliable) return;
      while (client.next_message()) ++messages;
    });
    client.update(network.now);
  }

  const net::ServerPeer& peer() const { return server.peers()[kClient]; }

  std::uint64_t send_reliable_within_budget(std::size_t datagrams_max) {
    const std::uint64_t before = server.counters().datagrams_sent;
    server.send_reliable_within_budget(kClient, {}, datagrams_max, network.now);
    return server.counters().datagrams_sent - before;
  }

  SimulatedNetwork network{1, {}};
  Port server_port{network, address_of(1, 4770)};
  Port client_port{network, address_of(2)};
  const net::Access access = access_of(server_port.address());
  net::ServerEndpoint server{server_port, {4, 60, 1.0 / 60, 3, "test", access}, network.now};
  const net::ConnectToken token = token_for(access, network, 2);
  net::ClientEndpoint client;
  int messages = 0;
};

net::SharedBytes message_of(std::size_t size) {
  return std::make_shared<const std::vector<std::uint8_t>>(size);
}

TEST(ServerSending, SoManyMessagesWaitAndNoMore) {
  Pair pair;
  ASSERT_TRUE(pair.peer().events);
  ASSERT_FALSE(pair.peer().follows);
  std::uint32_t waiting = 0;
  for (; pair.peer().link.sender().ready(); ++waiting) {
    ASSERT_LE(waiting, net::kFragmentsToPlain);
    pair.server.queue_reliable(kClient, message_of(100));
  }
  EXPECT_EQ(waiting, net::kFragmentsToPlain + 1);
  for (int i = 0; i < 60; ++i) {
    pair.server.refill(kClient, kTick, pair.network.now);
    pair.send_reliable_within_budget(8);
    pair.step();
  }
  EXPECT_EQ(pair.messages, static_cast<int>(waiting));
  EXPECT_TRUE(pair.peer().link.sender().ready());
}

TEST(ServerSending, MessagesTakeHalfOfTheBudgetAtMost) {
  Pair pair;
  while (pair.peer().link.sender().ready()) {
    pair.server.queue_reliable(kClient, message_of(net::kFragmentBytesMax));
  }
  EXPECT_EQ(pair.send_reliable_within_budget(8), 0u);  // it has no budget yet
  pair.server.refill(kClient, kTick, pair.network.now);
  const double share =
      net::CongestionControl::kRateFirst / 2 / 60 / net::CongestionControl::kDatagramBytes;
  EXPECT_EQ(pair.send_reliable_within_budget(8), static_cast<std::uint64_t>(share));
  EXPECT_EQ(pair.send_reliable_within_budget(8), 0u);
  pair.server.refill(kClient, kTick, pair.network.now);
  EXPECT_EQ(pair.send_reliable_within_budget(2), 2u);
}

TEST(ServerSending, SmallDatagramsTakeLessOfTheBudget) {
  Pair pair;
  pair.server.refill(kClient, kTick, pair.network.now);
  std::uint64_t sent = 0;
  do {
    pair.server.queue_reliable(kClient, message_of(100));
    sent += pair.send_reliable_within_budget(1);
  } while (pair.peer().budget.reliable_room() > 0);
  const double bytes =
      net::CongestionControl::kRateFirst / 2 / 60 - net::CongestionControl::kDatagramBytes;
  // a datagram takes at most 200 bytes, with all headers
  EXPECT_GE(static_cast<double>(sent), bytes / 200);
}

// A client that asked for events may acknowledge reliable messages, but may not send any: the
// server drops its fragments.
TEST(ServerSending, FragmentsOfTheClientAreDropped) {
  Pair pair;
  std::vector<std::uint8_t> text;
  net::encode_payload_header({.type = net::MessageType::reliable, .sequence = 1}, text);
  ByteWriter(text).varint(0);
  net::encode_fragment({.number = 0, .last = true, .bytes = *message_of(5)}, text);
  std::vector<std::uint8_t> datagram;
  net::PacketSealer(host::SodiumCipher(), pair.token.head.protocol_id)
      .seal(pair.token.client_to_server, net::PacketType::payload, kLaterSequence, text, datagram);
  const net::ServerEvent event =
      pair.server.receive(pair.client_port.address(), datagram, pair.network.now);
  EXPECT_EQ(event.kind, net::ServerEvent::Kind::nothing);
  EXPECT_EQ(pair.server.counters().drops[static_cast<std::size_t>(net::Drop::malformed)], 1u);
  EXPECT_TRUE(pair.peer().joined);
}

// The scene of a session may take many fragments.
TEST(ServerSending, AMessageOfManyFragmentsArrives) {
  Pair pair;
  pair.server.queue_reliable(kClient, message_of(200 * net::kFragmentBytesMax + 1));
  for (int i = 0; i < 120; ++i) {
    pair.server.refill(kClient, kTick, pair.network.now);
    pair.send_reliable_within_budget(8);
    pair.step();
  }
  EXPECT_EQ(pair.messages, 1);
  EXPECT_EQ(pair.client.state(), net::ClientState::connected);
}

TEST(ServerSending, WhoFollowsIsNone) {
  Pair pair(codec::message::Mode::follow);
  EXPECT_TRUE(pair.peer().follows);
  EXPECT_FALSE(pair.peer().events);
}

}  // namespace
}  // namespace orrery

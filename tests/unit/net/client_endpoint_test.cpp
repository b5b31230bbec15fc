// Tests how a client connects, stays connected and leaves, over a network with faults.
#include "common/net/client_endpoint.h"

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/net/endpoint_pair.h"

namespace orrery {
namespace {

using test::address_of;
using test::kServerAddress;
using test::kTimeout;
using test::LinkFaults;
using test::Pair;
using test::Port;

TEST(ClientEndpoint, ConnectsAndTellsTheClientWhatItNeeds) {
  for (const Role role : {Role::watch, Role::play, Role::admin}) {
    Pair pair(1, {}, 4, {.role = role});
    pair.run(100 * net::kMillisecond);
    ASSERT_EQ(pair.client->state(), net::ClientState::connected);
    EXPECT_EQ(pair.joins, 1);
    EXPECT_EQ(pair.role, role);
    EXPECT_EQ(pair.client->welcome().role, role);
    EXPECT_EQ(pair.client->welcome().client, ClientId{1});
    EXPECT_EQ(pair.client->welcome().tick_rate, 60u);
    EXPECT_EQ(pair.client->welcome().tick_time, 1.0 / 60);
    EXPECT_EQ(pair.client->welcome().scene_bodies, 3u);
    EXPECT_EQ(pair.client->welcome().scene, "test");
  }
}

TEST(ClientEndpoint, ConnectsOnceUnderLossDuplicationAndReordering) {
  const LinkFaults faults{
      .loss_percent = 30, .duplicate_percent = 30, .delay_max = 150 * net::kMillisecond};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Pair pair(seed, faults);
    pair.run(4 * net::kSecond);
    ASSERT_EQ(pair.client->state(), net::ClientState::connected);
    EXPECT_EQ(pair.joins, 1);
    EXPECT_EQ(pair.server.peers().count(), 1u);
    pair.run(10 * net::kSecond);  // keep-alives hold the connection
    EXPECT_EQ(pair.client->state(), net::ClientState::connected);
    EXPECT_EQ(pair.leaves, 0);
  }
}

TEST(ClientEndpoint, GivesUpWhereNobodyAnswers) {
  Pair pair(1, {.loss_percent = 100});
  pair.run(kTimeout + net::kSecond);
  EXPECT_EQ(pair.client->end_reason(), EndReason::no_answer);
  Pair patient(1, {.loss_percent = 100}, 4, {.timeout_seconds = -1, .life = 8});
  patient.run(7 * net::kSecond);
  EXPECT_EQ(patient.client->state(), net::ClientState::requesting);
  patient.run(2 * net::kSecond);
  EXPECT_EQ(patient.client->end_reason(), EndReason::token_expired);
}

TEST(ClientEndpoint, TriesTheNextServerOfTheToken) {
  Pair pair;
  pair.token.servers = {address_of(99), kServerAddress};
  pair.client.emplace(pair.client_port, pair.token, pair.network.now);
  pair.run(net::kSecond);
  EXPECT_EQ(pair.joins, 1);
  EXPECT_EQ(pair.client->server(), kServerAddress);
}

// The answers of a distant server come when the client has turned to the next address. It returns,
// and stays longer.
TEST(ClientEndpoint, ReturnsToADistantServer) {
  Pair pair(1, {.delay_min = net::kSecond, .delay_max = 100 * net::kMillisecond});
  pair.token.servers = {kServerAddress, address_of(99)};
  pair.client.emplace(pair.client_port, pair.token, pair.network.now);
  pair.run(2 * kTimeout);
  EXPECT_EQ(pair.joins, 1);
}

TEST(ClientEndpoint, SaysGoodbyeBothWays) {
  Pair pair;
  pair.run(100 * net::kMillisecond);
  pair.client->disconnect(pair.network.now);
  pair.run(100 * net::kMillisecond);
  EXPECT_EQ(pair.leaves, 1);
  EXPECT_EQ(pair.reason, EndReason::asked);
  EXPECT_EQ(pair.server.peers().count(), 0u);

  Pair stopped;
  stopped.run(100 * net::kMillisecond);
  stopped.server.stop(stopped.network.now);
  stopped.run(100 * net::kMillisecond);
  EXPECT_EQ(stopped.client->end_reason(), EndReason::server_stopped);
}

// The server may have given the client a slot before the client knows it.
TEST(ClientEndpoint, WhoLeavesWhileItRespondsGivesUpItsSlot) {
  Pair pair;
  while (pair.client->state() != net::ClientState::responding) pair.step();
  net::Address from;
  const auto response = pair.network.receive(kServerAddress, from).value();
  pair.inject(from, response);
  ASSERT_EQ(pair.server.peers().count(), 1u);
  pair.client->disconnect(pair.network.now);
  pair.step();
  EXPECT_EQ(pair.server.peers().count(), 0u);
  EXPECT_EQ(pair.joins + pair.leaves, 0);
}

TEST(ClientEndpoint, EndsWhatFellSilent) {
  Pair pair;
  pair.run(100 * net::kMillisecond);
  const net::Nanoseconds end = pair.network.now + kTimeout;
  std::vector<net::ServerEvent> left;
  for (net::Nanoseconds now = pair.network.now; now < end; now += test::kStep) {
    pair.server.update(now, left);
  }
  EXPECT_TRUE(left.empty());
  pair.server.update(end + net::kSecond, left);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].reason, EndReason::timed_out);

  Pair other;
  other.run(100 * net::kMillisecond);
  other.client->update(other.network.now + kTimeout + net::kSecond);
  EXPECT_EQ(other.client->end_reason(), EndReason::silent);
}

// A pause of the server is no silence of its clients. Their time starts where it stopped.
TEST(ClientEndpoint, APauseOfTheServerIsNoSilence) {
  Pair pair;
  pair.run(100 * net::kMillisecond);
  std::vector<net::ServerEvent> left;
  net::Nanoseconds now = pair.network.now + net::kSecond * 3600;
  pair.server.update(now, left);
  for (const net::Nanoseconds end = now + kTimeout - 2 * net::kServerPauseMin; now < end;) {
    pair.server.update(now += test::kStep, left);
  }
  EXPECT_TRUE(left.empty());
  pair.server.update(now += net::kServerPauseMin, left);
  pair.server.update(now += net::kServerPauseMin, left);
  EXPECT_EQ(left.size(), 1u);
}

// A server at which commands may wait may only be paused, so its client waits for longer.
TEST(ClientEndpoint, WaitsForAcknowledgementsOfCommands) {
  Pair pair;
  pair.run(100 * net::kMillisecond);
  pair.client->update(pair.network.now + net::kCommandsWaitMax - net::kSecond, true);
  EXPECT_EQ(pair.client->state(), net::ClientState::connected);
  pair.client->update(pair.network.now + net::kCommandsWaitMax + net::kSecond, true);
  EXPECT_EQ(pair.client->end_reason(), EndReason::silent);
}

// Every endpoint chooses a first sequence of its own, because several processes may read the same
// token from a file.
TEST(ClientEndpoint, EndpointsOfOneTokenShareNoSequence) {
  Pair pair;
  std::set<std::uint64_t> sent;
  for (int i = 0; i < 30; ++i) {
    pair.client_port.recorded.clear();
    pair.client_port.record = true;
    pair.client.emplace(pair.client_port, test::token_for(pair.access, pair.network, 2),
                        pair.network.now);
    while (pair.client->state() != net::ClientState::connected) pair.step();
    pair.client->disconnect(pair.network.now);
    pair.step();
    for (const auto& bytes : pair.client_port.recorded) {
      const auto prefix = net::decode_prefix(bytes);
      if (!prefix) continue;  // a request, which has no sequence
      EXPECT_LT(prefix->sequence, std::uint64_t{1} << 62);
      EXPECT_TRUE(sent.insert(prefix->sequence).second) << prefix->sequence;
    }
  }
  EXPECT_GT(sent.size(), 300u);
}

// No sequence is used twice under one key, for any losses and repeats.
TEST(ClientEndpoint, NoSequenceIsSentTwice) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Pair pair(seed,
              {.loss_percent = 30, .duplicate_percent = 20, .delay_max = 100 * net::kMillisecond});
    pair.server_port.record = pair.client_port.record = true;
    pair.run(4 * net::kSecond);
    pair.server.stop(pair.network.now);
    pair.client->disconnect(pair.network.now);
    for (const Port* port : {&pair.server_port, &pair.client_port}) {
      std::set<std::uint64_t> sent;
      for (const auto& bytes : port->recorded) {
        if (const auto prefix = net::decode_prefix(bytes)) {
          EXPECT_TRUE(sent.insert(prefix->sequence).second) << prefix->sequence;
        }
      }
      EXPECT_GT(sent.size(), 30u);
    }
  }
}

}  // namespace
}  // namespace orrery

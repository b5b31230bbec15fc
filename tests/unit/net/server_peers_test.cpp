// Tests the table of a server's clients.
#include "common/net/server_peers.h"

#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"

namespace orrery {
namespace {

constexpr net::Nanoseconds kNow = 5 * net::kSecond;

struct Table {
  ClientId add(std::uint32_t host) {
    const ClientId client = peers.lowest_free();
    peers.add(client,
              {.connected = true,
               .owner = {.client_id = 100 + host},
               .link = net::Link(test::address_of(host), {}, net::PacketSequences(), kNow)});
    return client;
  }

  test::SimulatedNetwork network{1, {}};
  test::Port port{network, {}};
  net::ServerPeers peers{3, port};
};

TEST(ServerPeers, FindsClientsByAddressAndAccount) {
  Table table;
  const ClientId first = table.add(1);
  const ClientId second = table.add(2);
  EXPECT_EQ(first, ClientId{1});
  EXPECT_EQ(second, ClientId{2});
  EXPECT_EQ(table.peers.find(test::address_of(2)), second);
  EXPECT_FALSE(table.peers.find(test::address_of(3)));
  EXPECT_TRUE(table.peers.contains(test::address_of(1)));
  EXPECT_EQ(table.peers.find(std::uint64_t{102}), second);
  EXPECT_FALSE(table.peers.find(std::uint64_t{103}));
  EXPECT_EQ(table.peers.count(), 2u);
  EXPECT_EQ(table.peers.highest(), second);
}

TEST(ServerPeers, UsesTheLowestFreeIdAgain) {
  Table table;
  for (std::uint32_t host = 1; host <= 3; ++host) table.add(host);
  EXPECT_TRUE(table.peers.is_full());
  table.peers.remove(ClientId{2}, kNow);
  EXPECT_FALSE(table.peers.is_full());
  EXPECT_FALSE(table.peers[ClientId{2}].connected);
  EXPECT_FALSE(table.peers.contains(test::address_of(2)));
  EXPECT_FALSE(table.peers.find(std::uint64_t{102}));
  EXPECT_EQ(table.peers.highest(), ClientId{3});
  EXPECT_EQ(table.add(4), ClientId{2});
}

TEST(ServerPeers, RemembersForASecondWhoLeft) {
  Table table;
  const ClientId client = table.add(1);
  EXPECT_FALSE(table.peers.left_recently(test::address_of(1)));
  table.peers.remove(client, kNow);
  table.peers.update(kNow + net::kSecond);
  EXPECT_TRUE(table.peers.left_recently(test::address_of(1)));
  table.peers.update(kNow + net::kSecond + 1);
  EXPECT_FALSE(table.peers.left_recently(test::address_of(1)));
}

}  // namespace
}  // namespace orrery

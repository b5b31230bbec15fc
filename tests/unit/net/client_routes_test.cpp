// Tests in which order a client tries the addresses of a token, and for how long.
#include "common/net/client_routes.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/net/endpoint_pair.h"

namespace orrery {
namespace {

using test::address_of;

constexpr net::Nanoseconds kTenth = net::kSecond / 10;

// Returns the hosts that are tried, one for each tenth of a second.
std::vector<std::uint32_t> tried(std::uint32_t count, int tenths) {
  test::SimulatedNetwork network(1, {});
  test::Port port(network, address_of(2));
  net::AddressList list;
  for (std::uint32_t i = 0; i < count; ++i) list.add(address_of(i));
  net::PathSearch search(list, 0, 2 * net::kSecond, port, network.now);
  std::vector<std::uint32_t> hosts;
  for (int i = 0; i < tenths; ++i) {
    hosts.push_back(search.server().ip[15]);
    network.now += kTenth;
    if (search.is_over(network.now)) search.next(port, network.now);
  }
  return hosts;
}

TEST(ClientRoutes, EachRoundGivesTwiceTheTime) {
  const std::vector<std::uint32_t> hosts = tried(2, 5 + 5 + 10 + 10 + 20 + 20 + 20);
  const std::vector<std::pair<std::uint32_t, std::size_t>> expected = {
      {0, 5}, {1, 5}, {0, 10}, {1, 10}, {0, 20}, {1, 20}, {0, 20}};
  std::size_t at = 0;
  for (const auto& [host, tenths] : expected) {
    for (std::size_t i = 0; i < tenths; ++i) EXPECT_EQ(hosts[at++], host) << at;
  }
}

TEST(ClientRoutes, AnExcludedAddressIsLeftOut) {
  test::SimulatedNetwork network(1, {});
  test::Port port(network, address_of(2));
  net::PathSearch search({address_of(0), address_of(1), address_of(3)}, 1, net::kSecond, port, 0);
  EXPECT_EQ(search.server(), address_of(1));
  search.exclude();
  EXPECT_EQ(search.left(), 2u);
  search.next(port, 0);
  EXPECT_EQ(search.server(), address_of(3));
  search.next(port, 0);
  EXPECT_EQ(search.server(), address_of(0));
  search.next(port, 0);
  EXPECT_EQ(search.server(), address_of(3));
}

TEST(ClientRoutes, GivesUpAfterATimeoutForEachAddress) {
  test::SimulatedNetwork network(1, {});
  test::Port port(network, address_of(2));
  net::ConnectToken token = test::token_for(test::access_of(address_of(1)), network, 2);
  token.servers = {address_of(1), address_of(3)};
  net::ClientRoutes routes(token, port, network.now);
  const net::Nanoseconds start = network.now;
  EXPECT_FALSE(routes.has_tried_all(start + 2 * test::kTimeout));
  EXPECT_TRUE(routes.has_tried_all(start + 2 * test::kTimeout + 1));
  // The first address has answered, and then nothing more. Its time is not that of the second.
  const net::Nanoseconds later = start + 2 * test::kTimeout;
  EXPECT_TRUE(routes.exclude(later));
  EXPECT_FALSE(routes.has_tried_all(later + test::kTimeout));
  EXPECT_TRUE(routes.has_tried_all(later + test::kTimeout + 1));
  EXPECT_FALSE(routes.wants_next(start + net::kSecond));  // one address is left
  EXPECT_FALSE(routes.exclude(start));
}

}  // namespace
}  // namespace orrery

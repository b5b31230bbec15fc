// Tests how applicants are found by their responses.
#include "common/net/gate/applicants.h"

#include <gtest/gtest.h>

#include "tests/support/simulated_network.h"

namespace orrery {
namespace {

using test::address_of;

struct Table {
  std::optional<net::Drop> add(std::uint64_t account, std::uint32_t host, std::uint8_t seal = 1) {
    net::PendingClient applicant;
    applicant.address = address_of(host);
    applicant.owner.client_id = account;
    applicant.owner.timeout_seconds = 5;
    applicant.seal.fill(seal);
    applicant.until = 5 * net::kSecond;
    return applicants.add(applicant);
  }
  // Returns true if a response of the account is found at an address.
  bool finds(std::uint64_t account, std::uint32_t host) {
    const auto found = applicants.find(address_of(host), [&](const net::PendingClient& a) {
      ++tried;
      return a.owner.client_id == account;
    });
    return found && found->address == address_of(host);
  }

  test::SimulatedNetwork network{1, {}};
  test::Port port{network, address_of(1)};
  net::Applicants applicants{64, port};
  int tried = 0;
};

// A response of a stranger costs nothing while nobody is contested.
TEST(Applicants, AreFoundAtTheirFirstAddress) {
  Table table;
  ASSERT_EQ(table.add(7, 2), std::nullopt);
  EXPECT_TRUE(table.finds(7, 2));
  EXPECT_EQ(table.tried, 1);
  EXPECT_FALSE(table.finds(7, 3));
  EXPECT_EQ(table.tried, 1);
}

TEST(Applicants, AreFoundAnywhereWhileTheyAreContested) {
  Table table;
  ASSERT_EQ(table.add(7, 2), std::nullopt);
  ASSERT_EQ(table.add(7, 3), std::nullopt);
  EXPECT_TRUE(table.finds(7, 2));
  EXPECT_TRUE(table.finds(7, 3));
  ASSERT_EQ(table.add(8, 2), std::nullopt);  // at the address of the other account
  EXPECT_TRUE(table.finds(8, 2));
  table.applicants.remove(7);
  EXPECT_FALSE(table.finds(7, 3));
  EXPECT_TRUE(table.finds(8, 2));
  table.applicants.forget(5 * net::kSecond);
  EXPECT_FALSE(table.finds(8, 2));
}

TEST(Applicants, TryABoundedNumberOfKeys) {
  Table table;
  for (std::uint64_t account = 1; account <= 60; ++account) {
    ASSERT_EQ(table.add(account, 2), std::nullopt);
  }
  EXPECT_FALSE(table.finds(99, 50));
  EXPECT_EQ(table.tried, 16);
}

}  // namespace
}  // namespace orrery

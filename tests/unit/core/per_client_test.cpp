// Tests the array with one value for each client.
#include "common/core/per_client.h"

#include <utility>

#include "gtest/gtest.h"

namespace orrery {
namespace {

TEST(PerClient, HasAValueForEachIdFromOne) {
  PerClient<int> values(3);
  EXPECT_EQ(values.size(), 3u);
  for (ClientId client{1}; client.value <= values.size(); ++client.value) {
    EXPECT_EQ(values[client], 0);
    values[client] = static_cast<int>(10 * client.value);
  }
  EXPECT_EQ(values[ClientId{1}], 10);
  EXPECT_EQ(std::as_const(values)[ClientId{3}], 30);
}

TEST(PerClient, GivesTheValuesUpToAClient) {
  PerClient<int> values(3);
  values[ClientId{2}] = 5;
  EXPECT_TRUE(values.up_to(kServer).empty());
  ASSERT_EQ(values.up_to(ClientId{2}).size(), 2u);
  EXPECT_EQ(values.up_to(ClientId{2})[1], 5);
}

TEST(PerClientDeathTest, RefusesTheServerAndIdsBeyondItsEnd) {
  PerClient<int> values(3);
  EXPECT_DEATH(values[kServer], "client");
  EXPECT_DEATH(values[ClientId{4}], "client");
}

}  // namespace
}  // namespace orrery

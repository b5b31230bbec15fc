// Tests keys of scenes in the C interface.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/unit/client/api/c_interface.h"

namespace orrery::test {
namespace {

constexpr std::string_view kScene = R"({"bodies": [{"name": "crate"}], "keys": [
  {"key": "w", "label": "go", "command": "thrust", "vector": [0, 0, -5]},
  {"key": "j", "command": "impulse", "body": "crate", "vector": [0, 9, 0]},
  {"key": "space", "text": "kick"}]})";

TEST(ApiKeys, HaveTheirCommands) {
  char why[200];
  orrery_world* world = nullptr;
  ASSERT_EQ(orrery_world_from_json(kScene.data(), kScene.size(), &world, why, sizeof why),
            ORRERY_OK)
      << why;
  orrery_key key{};
  orrery_command pressed{}, released{};
  EXPECT_EQ(orrery_get_key(world, 0, &key, &pressed, &released), ORRERY_WRONG_SIZE);
  key.size = sizeof key;
  pressed.size = released.size = sizeof pressed;
  ASSERT_EQ(orrery_get_key(world, 0, &key, &pressed, &released), ORRERY_OK);
  EXPECT_STREQ(key.key, "w");
  EXPECT_STREQ(key.label, "go");
  EXPECT_EQ(key.own_body, 1u);
  EXPECT_EQ(key.releases, 1u);
  EXPECT_EQ(pressed.kind, ORRERY_THRUST);
  EXPECT_EQ(pressed.first[2], -5);
  EXPECT_EQ(released.kind, ORRERY_THRUST);
  EXPECT_EQ(released.first[2], 0);
  ASSERT_EQ(orrery_get_key(world, 1, &key, &pressed, &released), ORRERY_OK);
  EXPECT_STREQ(key.label, "j");
  EXPECT_EQ(key.own_body, 0u);
  EXPECT_EQ(key.releases, 0u);
  ASSERT_EQ(orrery_get_key(world, 2, &key, &pressed, &released), ORRERY_OK);
  EXPECT_EQ(key.own_body, 0u);
  EXPECT_EQ(pressed.bytes_size, 4);
  EXPECT_EQ(pressed.bytes[0], 'k');
  EXPECT_EQ(orrery_get_key(world, 3, &key, &pressed, &released), ORRERY_END);
  orrery_world_destroy(world);
}

}  // namespace
}  // namespace orrery::test

// Tests keys of scenes: errors, the binary form, and JSON that is written again.
#include <gtest/gtest.h>

#include <string>

#include "common/codec/scene_codec.h"
#include "common/host/text/scene_file.h"
#include "common/host/text/scene_writer.h"
#include "common/world/scenes/keys/keys.h"
#include "tests/support/scene_bits.h"

namespace orrery {
namespace {

// Returns a scene with a door, a lift without a name, and these keys.
std::string scene_with(const std::string& keys) {
  return R"({"bodies": [{"name": "post", "kind": "anchor"}, {"name": "leaf"}],
 "joints": [{"kind": "hinge", "a": 0, "b": 1, "name": "door", "control": "anyone"},
            {"kind": "weld", "a": 0, "b": 1, "name": "glue", "control": "anyone"},
            {"kind": "hinge", "a": 0, "b": 1, "name": "safe"},
            {"kind": "hinge", "a": 0, "b": 1, "name": "twin"},
            {"kind": "hinge", "a": 0, "b": 1, "name": "twin"}],
 "keys": [)" +
         keys + "]}";
}

std::string problem(const std::string& keys) {
  const auto scene = host::scene_of_json(scene_with(keys));
  return scene ? "" : scene.error().message;
}

constexpr const char* kKeys = R"(
  {"key": "w", "label": "go", "command": "thrust", "vector": [0, 0, -5]},
  {"key": "t", "command": "torque", "body": "leaf", "vector": [0, 1, 0]},
  {"key": "up", "command": "impulse", "body": 0, "vector": [0, 9, 0]},
  {"key": "space", "text": "jump", "text_released": "fall"},
  {"key": "o", "command": "set_target", "joint": "door", "position": 1.5, "frequency": 2},
  {"key": "a", "command": "set_target", "joint": "door", "position": -1, "position_released": 0,
   "frequency": 2, "damping_ratio": 0.5, "max": 9},
  {"key": "a", "command": "set_motor", "joint": "door", "speed": 3, "max": 40})";

TEST(SceneKeys, WrongOnesAreSaid) {
  const struct {
    std::string keys, problem;
  } cases[] = {
      {R"({"text": "a"})", "key 0: key must be a small letter"},
      {R"({"key": "W", "text": "a"})", "key 0: key must be a small letter"},
      {R"({"key": "Escape", "text": "a"})", "key 0: key must be a small letter"},
      {R"({"key": "w"}, {"key": "s"})", "key 0: text must be 1 to 256"},
      {R"({"key": "w", "label": "a label of twenty-five ch", "text": "a"})", "key 0: label must"},
      {R"({"key": "w", "command": "jump"})", "keys[0].command must be message, thrust, torque,"},
      {R"({"key": "w", "command": "thrust", "body": "leef", "vector": [0, 1, 0]})",
       "keys[0].body: there is no body \"leef\"; did you mean leaf?"},
      {R"({"key": "w", "command": "thrust", "body": 2, "vector": [0, 1, 0]})",
       "key 0: body: there is no body 2"},
      {R"({"key": "w", "command": "thrust"})", "key 0: vector is 0: the key does nothing"},
      {R"({"key": "w", "command": "thrust", "vector": [0, 2e24, 0]})", "key 0: vector must be"},
      {R"({"key": "w", "command": "set_motor", "max": 1})", "key 0: joint must be the name of"},
      {R"({"key": "w", "command": "set_motor", "joint": "dor", "max": 1})",
       "key 0: joint: there is no joint \"dor\"; did you mean door?"},
      {R"({"key": "w", "command": "set_motor", "joint": "twin", "max": 1})",
       "key 0: joint: 2 joints are named \"twin\""},
      {R"({"key": "w", "command": "set_motor", "joint": "glue", "max": 1})",
       "key 0: joint: a weld leaves no motion free"},
      {R"({"key": "w", "command": "set_motor", "joint": "safe", "max": 1})",
       "key 0: joint: no player may drive \"safe\"; give the joint"},
      {R"({"key": "w", "command": "set_motor", "joint": "door", "speed": 1})", "key 0: max must"},
      {R"({"key": "w", "command": "set_motor", "joint": "door", "max": -1})",
       "key 0: max must be from 0 to 1e24"},
      {R"({"key": "w", "command": "set_target", "joint": "door", "position": 1})",
       "key 0: frequency must be above 0"},
      {R"({"key": "w", "command": "set_target", "joint": "door", "position": 2e6, "frequency": 1})",
       "key 0: position and position_released must be from"},
      {R"({"key": "w", "text": "a", "vector": [0, 1, 0]})",
       "key 0: vector does nothing without \"command\": \"thrust\""},
      {R"({"key": "w", "text": "a", "joint": "door"})", "key 0: joint does nothing without"},
      {R"({"key": "w", "text": "a", "speed": 1})", "key 0: speed does nothing without"},
      {R"({"key": "w", "text": "a", "position_released": 0})", "key 0: position does nothing"},
      {R"({"key": "w", "command": "thrust", "vector": [0, 1, 0], "text": "a"})",
       "key 0: text does nothing without \"command\": \"message\""},
  };
  for (const auto& [keys, text] : cases) {
    EXPECT_EQ(problem(keys).rfind(text, 0), 0u) << keys << ": " << problem(keys);
  }
  std::string many;
  for (int i = 0; i < 65; ++i) many += R"({"key": "w", "text": "a"},)";
  EXPECT_NE(problem(many).find("at most 64 keys"), std::string::npos) << problem(many);
}

TEST(SceneKeys, StayTheSameInBothForms) {
  const auto scene = host::scene_of_json(scene_with(kKeys));
  ASSERT_TRUE(scene) << scene.error().text();
  ASSERT_EQ(scene.value().keys.size(), 7u);
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(scene.value(), bytes);
  const auto decoded = codec::decode_scene(bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(test::bits_of(decoded.value()), test::bits_of(scene.value()));
  const auto again = host::scene_of_json(host::json_of_scene(scene.value()));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(test::bits_of(again.value()), test::bits_of(scene.value()));
  for (std::size_t cut = 0; cut + 4 < bytes.size(); ++cut) {
    EXPECT_FALSE(codec::decode_scene(Bytes(bytes.data(), cut))) << cut;
  }
}

TEST(SceneKeys, GiveCommands) {
  const Scene scene = host::scene_of_json(scene_with(kKeys)).value();
  const auto pressed = [&](std::size_t i) { return pressed_command(scene.keys[i], scene); };
  const auto released = [&](std::size_t i) { return released_command(scene.keys[i], scene); };
  EXPECT_EQ(std::get<command::Thrust>(pressed(0)).force.z, -5);
  EXPECT_EQ(std::get<command::Thrust>(*released(0)).force.z, 0);
  EXPECT_EQ(std::get<command::Torque>(pressed(1)).body, BodyId{1});
  EXPECT_EQ(std::get<command::Impulse>(pressed(2)).impulse.y, 9);
  EXPECT_FALSE(released(2));
  EXPECT_EQ(std::get<command::Message>(pressed(3)).text.view().size(), 4u);
  EXPECT_EQ(std::get<command::Message>(*released(3)).text.view()[0], 'f');
  EXPECT_EQ(std::get<command::SetTarget>(pressed(4)).position, 1.5f);
  EXPECT_FALSE(released(4));
  EXPECT_EQ(std::get<command::SetTarget>(pressed(5)).position, -1);
  EXPECT_EQ(std::get<command::SetTarget>(*released(5)).position, 0);
  EXPECT_EQ(std::get<command::SetTarget>(*released(5)).damping_ratio, 0.5f);
  EXPECT_EQ(std::get<command::SetMotor>(pressed(6)).speed, 3);
  EXPECT_EQ(std::get<command::SetMotor>(*released(6)).speed, 0);
  EXPECT_EQ(std::get<command::SetMotor>(*released(6)).max, 40);
}

}  // namespace
}  // namespace orrery

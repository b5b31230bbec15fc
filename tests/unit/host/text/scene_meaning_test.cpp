// Tests the checks for valid scenes that make no sense.
#include "common/host/text/scene_meaning.h"

#include <gtest/gtest.h>

#include <string>

#include "common/codec/scene_codec.h"
#include "common/host/text/scene_file.h"
#include "common/world/scenes/scenes.h"
#include "tests/unit/host/text/scene_text.h"

namespace orrery {
namespace {

// Returns the problem that check_intent() finds in a valid scene, or "".
std::string problem(const std::string& json) {
  const auto binary = test::binary_of(json);
  if (!binary) return "not JSON: " + binary.error().text();
  const Result<Scene> scene = codec::decode_scene(binary.value());
  if (!scene) return "not sound: " + scene.error().text();
  const Status status = host::check_intent(scene.value());
  return status ? "" : status.error().text();
}

// Returns the problem of a joint between an anchor at (0, 3, 0) and a body at (2, 3, 0). The body
// is turned by 90 degrees about z, so that its y axis points to the anchor.
std::string joint_problem(const std::string& joint) {
  return problem(
      "{\"bodies\": [{\"kind\": \"anchor\", \"position\": [0, 3, 0]}, {\"position\": [2, 3, 0], "
      "\"orientation\": [0, 0, 0.7071067811865476, 0.7071067811865476]}], "
      "\"joints\": [{\"b\": 1, " +
      joint + "}]}");
}

TEST(SceneMeaning, EveryBuiltInSceneMeansSomething) {
  const auto expect_meant = [](const std::string& spec) {
    const Status status = host::check_intent(built_in_scene(spec).value());
    EXPECT_TRUE(status) << spec << ": " << status.error().text();
  };
  for (const BuiltInScene& scene : built_in_scenes()) {
    const std::string name(scene.name);
    expect_meant(name);
    if (scene.default_count == 0) continue;
    for (int count = 1; count <= 12; ++count) expect_meant(name + ":" + std::to_string(count));
    for (const char* count : {":50", ":101"}) expect_meant(name + count);
  }
}

TEST(SceneMeaning, JointsStartTogether) {
  EXPECT_EQ(joint_problem(R"("at_b": [0, 2, 0])"), "");
  EXPECT_EQ(joint_problem(R"("at_b": [0, 1.99, 0])"), "");  // rounded numbers pass
  EXPECT_EQ(joint_problem(R"("at_b": [0, 1, 0])"),
            "joint 0: at_b must be [0, 2, 0], or a body must move: the points of the joint start 1 "
            "apart");
  for (const char* kind : {"hinge", "weld"}) {
    const std::string joint = std::string("\"kind\": \"") + kind + "\"";
    EXPECT_EQ(joint_problem(joint + R"(, "at_a": [1, 0, 0], "at_b": [0, 1, 0])"), "");
    EXPECT_NE(joint_problem(joint), "");
  }
  // the points may lie apart along the slider's axis, x
  EXPECT_EQ(joint_problem(R"("kind": "slider")"), "");
  EXPECT_EQ(joint_problem(R"("kind": "slider", "axis": [0, 5, 0])"),
            "joint 0: at_b must be [0, 2, 0], or a body must move: the points of the joint start 2 "
            "apart");
}

TEST(SceneMeaning, RodsStartAtTheirLength) {
  EXPECT_EQ(joint_problem(R"("kind": "distance")"),
            "joint 0: rest must be 2, the distance between the points");
  EXPECT_EQ(joint_problem(R"("kind": "distance", "rest": 2)"), "");
  EXPECT_EQ(joint_problem(R"("kind": "distance", "rest": 1, "frequency": 2)"), "");
  EXPECT_EQ(joint_problem(R"("kind": "distance", "limited": true, "upper": 1)"), "");
  EXPECT_EQ(joint_problem(R"("kind": "distance", "motor_max": 1, "motor_speed": -1)"), "");
}

TEST(SceneMeaning, WhatDoesNothingIsSaid) {
  const struct {
    std::string joint, problem;
  } joints[] = {
      {R"("motor_speed": 1)", "motor_speed does nothing without motor_max"},
      {R"("upper": 1)", "lower and upper do nothing without \"limited\": true"},
      {R"("limited": true, "lower": 0.1, "upper": 1)", "lower does nothing"},
      {R"("rest": 1)", "rest does nothing without frequency"},
      {R"("damping_ratio": 2)", "damping_ratio does nothing without frequency"},
      {R"("collides": true)", "collides does nothing"},
  };
  for (const auto& [joint, text] : joints) {
    EXPECT_EQ(joint_problem(joint).rfind("joint 0: " + text, 0), 0u) << joint_problem(joint);
  }
  const struct {
    std::string scene, problem;
  } scenes[] = {
      {R"({"bodies": [{}, {"kind": "anchor", "velocity": [1, 0, 0]}]})",
       "body 1: velocity does nothing"},
      {R"({"bodies": [{"kind": "point", "angular_velocity": [1, 0, 0]}]})",
       "body 0: angular_velocity does nothing"},
      {R"({"bodies": [{"owner": 1}]})", "body 0: owner does nothing"},
      {R"({"bodies": [{}, {}], "springs": [{"b": 1}]})", "spring 0: stiffness and damping are 0"},
      {R"({"bodies": [{"kind": "anchor"}, {"kind": "kinematic"}], "springs": [{"b": 1}]})",
       "spring 0: it does nothing: a and b are both anchors or kinematic"},
      {R"({"bodies": [{}], "tethers": [{}]})", "tether 0: stiffness and damping are 0"},
      {R"({"bodies": [{"kind": "anchor"}], "tethers": [{"damping": 1}]})",
       "tether 0: it does nothing: body is an anchor or kinematic"},
      {R"({"shapes": [{"parts": [{}]}], "bodies": [{}], "scripts": [{"reach": 1}]})",
       "script 0: reach and pull do nothing without each other"},
  };
  for (const auto& [scene, text] : scenes) {
    EXPECT_EQ(problem(scene).rfind(text, 0), 0u) << problem(scene);
  }
}

// A shape without a body is a warning: the scene is used.
TEST(SceneMeaning, DoubtsAShapeThatNoBodyHas) {
  Problem warning;
  const auto scene = host::scene_of_json(
      "{\"shapes\": [{\"parts\": [{}]},\n{\"parts\": [{}]}], \"bodies\": [{\"shape\": 0}]}",
      &warning);
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene.value().shapes.size(), 2u);
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->text(), "line 2, column 1: shape 1: no body has it; give one \"shape\": 1");
  EXPECT_EQ(warning->place.key, "shapes[1]");
  warning.reset();
  ASSERT_TRUE(
      host::scene_of_json(R"({"shapes": [{"parts": [{}]}], "bodies": [{"shape": 0}]})", &warning));
  EXPECT_FALSE(warning);
}

}  // namespace
}  // namespace orrery

// Tests that schema/scene.fbs and our own types have equal defaults.
//
// A JSON scene without values must decode to the same scene as our types with their default values.
// A few values are given, because no scene is valid without them.
#include <gtest/gtest.h>

#include "common/codec/scene_codec.h"
#include "tests/support/scene_bits.h"
#include "tests/unit/host/text/scene_text.h"

namespace orrery {
namespace {

constexpr const char* kAllDefaults = R"({
  "shapes": [{"parts": [{}]}],
  "bodies": [{}, {"position": [9, 0, 0]}],
  "springs": [{"b": 1}],
  "tethers": [{}],
  "scripts": [{}],
  "joints": [{"b": 1, "at_a": [9, 0, 0]}]
})";

Scene all_defaults() {
  Scene scene;
  scene.substeps = kContactSubsteps;  // as in every scene with shapes
  scene.integrator = Integrator::semi_implicit_euler;
  scene.shapes.resize(1);
  scene.shapes[0].parts.resize(1);
  scene.bodies.resize(2);
  scene.bodies[1].position = {9, 0, 0};
  scene.springs.resize(1);
  scene.springs[0].b = 1;
  scene.tethers.resize(1);
  scene.scripts.resize(1);
  scene.joints.resize(1);
  scene.joints[0].b = 1;
  scene.joints[0].at_a = {9, 0, 0};
  return scene;
}

TEST(Mirrors, ASceneOfTheSchemasDefaultsIsOneOfOurs) {
  const Result<std::vector<std::uint8_t>> binary = test::binary_of(kAllDefaults);
  ASSERT_TRUE(binary) << binary.error().text();
  const Result<Scene> read = codec::decode_scene(binary.value());
  ASSERT_TRUE(read) << read.error().text();
  Scene ours = all_defaults();
  // Without a shape, the decoder computes the inertia from the half extents (schema/scenes.md 4).
  for (BodyDef& body : ours.bodies) body.inertia = read.value().bodies[0].inertia;
  EXPECT_EQ(test::bits_of(read.value()), test::bits_of(ours));
}

// Kinds of joints have the same numbers in the schema and in joint.h.
TEST(Mirrors, AJointOfEachNameIsOfThatKind) {
  for (std::uint32_t i = 0; i < physics::kJointKinds; ++i) {
    const auto kind = static_cast<physics::JointKind>(i);
    const std::string name = physics::traits_of(kind).name;
    const Result<std::vector<std::uint8_t>> binary =
        test::binary_of(R"({"bodies": [{}, {}], "joints": [{"b": 1, "kind": ")" + name + "\"}]}");
    ASSERT_TRUE(binary) << binary.error().text();
    const Result<Scene> read = codec::decode_scene(binary.value());
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read.value().joints[0].kind, kind) << name;
    EXPECT_EQ(physics::traits_of(kind).kind, kind) << name;
  }
}

// The encoder leaves out values that equal our defaults. The decoder then takes the defaults of the
// schema.
TEST(Mirrors, WhatTheEncoderLeavesOutComesBack) {
  const Scene ours = all_defaults();
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(ours, bytes);
  const Result<Scene> read = codec::decode_scene(bytes);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(test::bits_of(read.value()), test::bits_of(ours));
}

}  // namespace
}  // namespace orrery

// Tests scenes written as JSON: each reads back to exactly the same scene.
#include "common/host/text/scene_writer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/codec/scene_codec.h"
#include "common/core/limits.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/linked_scene.h"
#include "tests/support/session.h"
#include "tests/unit/host/text/scene_text.h"

namespace orrery {
namespace {

std::vector<std::uint8_t> bytes_of(const Scene& scene) {
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(scene, bytes);
  return bytes;
}

Scene read_back(const std::string& text) {
  const auto binary = test::binary_of(text);
  if (!binary) ADD_FAILURE() << binary.error().text() << '\n' << text.substr(0, 1000);
  Result<Scene> scene = codec::decode_scene(binary.value());
  if (!scene) ADD_FAILURE() << scene.error().text() << '\n' << text.substr(0, 1000);
  return scene.value();
}

TEST(SceneWriter, EveryBuiltInSceneReadsBack) {
  SerialExecutor serial;
  for (const BuiltInScene& built_in : built_in_scenes()) {
    const std::string spec(built_in.name);
    const Scene scene = built_in_scene(built_in.default_count == 0 ? spec : spec + ":9").value();
    const std::string text = host::json_of_scene(scene);
    EXPECT_LE(text.size(), limits::kSceneTextBytesMax) << spec;
    const Scene again = read_back(text);
    EXPECT_EQ(bytes_of(again), bytes_of(scene)) << spec;
    World world(scene);
    World other(again);
    for (int i = 0; i < 5; ++i) {
      step(world, {}, serial);
      step(other, {}, serial);
    }
    EXPECT_EQ(other.hash(), world.hash()) << spec;
  }
}

// The random scenes include zeros of both signs, repeated names, all integrators, and ticks whose
// length is a ratio of integers.
TEST(SceneWriter, RandomScenesReadBack) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Scene scene = test::any_scene(seed);
    EXPECT_EQ(bytes_of(read_back(host::json_of_scene(scene))), bytes_of(scene)) << "seed " << seed;
  }
}

// The scene has all kinds of joints, joints with limits and motors, and sensors.
TEST(SceneWriter, AllThatJointsAndPartsHaveReadsBack) {
  const Scene scene = test::linked_scene();
  EXPECT_EQ(bytes_of(read_back(host::json_of_scene(scene))), bytes_of(scene));
}

TEST(SceneWriter, NumbersAreShortAndExact) {
  for (const double number : {0.1, 1e-9, 1.0 / 3, 5e-324, 2.2250738585072014e-308, 1e8, -0.0,
                              1e6 / 3, 123456.000000001}) {
    Scene scene = built_in_scene("free:1").value();
    scene.bodies[0].position = {number, -number, 0};
    const Scene again = read_back(host::json_of_scene(scene));
    EXPECT_EQ(bytes_of(again), bytes_of(scene)) << number;
  }
}

// The file omits defaults.
TEST(SceneWriter, WritesWhatAPersonWouldWrite) {
  Scene scene;
  scene.name = "door";
  scene.about = "says \"open\"";
  use_contacts(scene);
  const std::uint32_t box = add_box_shape(scene, {1, 2, 0.1});
  BodyDef frame = shaped_body(scene, box, {0, 2, 0});
  frame.kind = BodyKind::anchor;
  add_body(scene, "frame", frame);
  add_body(scene, "door", shaped_body(scene, box, {2, 2, 0}));
  add_body(scene, "", shaped_body(scene, box, {4, 2, 0}));
  scene.bodies[2].mass = 3;
  scene.bodies[2].inertia = {1600, 400, 2000};
  JointDef hinge;
  hinge.kind = physics::JointKind::hinge;
  hinge.a = 0;
  hinge.b = 1;
  hinge.at_a = {1, 0, 0};
  hinge.axis = {0, 1, 0};
  scene.joints = {hinge, hinge};
  scene.joints[1].a = 1;
  scene.joints[1].b = 2;
  EXPECT_EQ(host::json_of_scene(scene), R"({
  "name": "door",
  "about": "says \"open\"",
  "substeps": 4,
  "gravity": [0, -9.81, 0],
  "integrator": "semi-implicit-euler",
  "bodies": [
    {"name": "frame", "kind": "anchor", "position": [0, 2, 0], "shape": 0},
    {"name": "door", "position": [2, 2, 0], "shape": 0},
    {"mass": 3, "inertia": [1600, 400, 2000], "position": [4, 2, 0], "shape": 0}
  ],
  "shapes": [
    {"parts": [{"kind": "box", "half_extents": [1, 2, 0.1]}]}
  ],
  "joints": [
    {"kind": "hinge", "a": "frame", "b": "door", "at_a": [1, 0, 0], "axis": [0, 1, 0]},
    {"kind": "hinge", "a": "door", "b": 2, "at_a": [1, 0, 0], "axis": [0, 1, 0]}
  ]
}
)");
}

// Names replace ids only if they are unique.
TEST(SceneWriter, BodiesOfTheSameNameAreTheirIds) {
  Scene scene = test::linked_scene();
  scene.names.assign(scene.bodies.size(), "twin");
  EXPECT_NE(host::json_of_scene(scene).find("\"a\": 8, \"b\": 9"), std::string::npos);
  EXPECT_EQ(bytes_of(read_back(host::json_of_scene(scene))), bytes_of(scene));
}

// The text is short enough for a person to look through.
TEST(SceneWriter, ALargeSceneIsALineABody) {
  const std::string text = host::json_of_scene(built_in_scene("cubes").value());
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 930);
  EXPECT_LT(text.size(), 100u * 930);
}

}  // namespace
}  // namespace orrery

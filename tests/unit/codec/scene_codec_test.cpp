// Tests the binary form of scenes: exact, deterministic, and valid after decoding.
#include "common/codec/scene_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "common/world/scenes/scenes.h"
#include "tests/support/scene_bits.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

void expect_identity(const Scene& scene) {
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(scene, bytes);
  const Result<Scene> back = codec::decode_scene(bytes);
  ASSERT_TRUE(back) << scene.name << ": " << back.error().text();
  EXPECT_EQ(test::bits_of(back.value()), test::bits_of(scene)) << scene.name;
  std::vector<std::uint8_t> again = {1, 2, 3};
  codec::encode_scene(back.value(), again);
  EXPECT_EQ(again, bytes) << scene.name;
}

TEST(SceneCodec, IsTheIdentityOnRandomScenes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Scene scene = test::any_scene(seed);
    ASSERT_TRUE(validate(scene)) << "seed " << seed;
    expect_identity(scene);
  }
}

// An encoded scene stores a colour as text, such as "#abcdef". A scene from outside may have any
// other text in its place.
TEST(SceneCodec, RefusesColorsThatAreNone) {
  Scene scene = built_in_scene("tumble").value();
  scene.bodies[0].color = 0xabcdef;
  expect_identity(scene);
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(scene, bytes);
  const std::string_view color = "#abcdef";
  const auto at = std::search(bytes.begin(), bytes.end(), color.begin(), color.end());
  ASSERT_NE(at, bytes.end());
  for (const std::string_view bad : {"#abcdeg", "xabcdef", "#abcd-f", "#+12345", "#      "}) {
    std::copy(bad.begin(), bad.end(), at);
    const Result<Scene> refused = codec::decode_scene(bytes);
    ASSERT_FALSE(refused) << bad;
    EXPECT_NE(refused.error().text().find("color must be"), std::string::npos) << bad;
  }
}

// Adds three shapes of random balls and boxes, and a plane. Gives about three of four bodies one of
// these shapes; only anchors get the plane.
void add_shapes(Scene& scene, SplitMix64& draw) {
  scene.integrator = Integrator::semi_implicit_euler;
  for (int i = 0; i < 3; ++i) {
    physics::ShapeDef& shape = scene.shapes.emplace_back();
    const std::uint32_t parts = 1 + draw.below(3);
    for (std::uint32_t k = 0; k < parts; ++k) {
      physics::PartDef& part = shape.parts.emplace_back();
      part.kind = draw.below(2) == 0 ? physics::ShapeKind::sphere : physics::ShapeKind::box;
      part.pose.position = test::any_vector(draw, 1);
      part.half_extents = {0.5 + draw.below(5) / 3.0, 1, 1.25};
      part.radius = 0.5 + draw.below(5) / 7.0;
      part.density = 0.5 + draw.below(3000);
      part.material = {draw.below(9) / 8.0, draw.below(9) / 8.0, draw.below(9) / 8.0};
      part.filter.category = 1 + draw.below(7);
      part.filter.mask = draw.below(~0u);
      part.filter.group = static_cast<std::int32_t>(draw.below(5)) - 2;
      part.filter.sensor = draw.below(2) == 0;
    }
  }
  scene.shapes.emplace_back().parts.emplace_back().kind = physics::ShapeKind::plane;
  for (BodyDef& body : scene.bodies) {
    if (draw.below(4) != 0) body.shape = draw.below(body.kind == BodyKind::anchor ? 4 : 3);
  }
}

// Enables sleeping in about half of the scenes without attraction between bodies. Adds scripts for
// the dynamic bodies among the first three.
void add_motion(Scene& scene, SplitMix64& draw) {
  scene.sleeping = scene.gravitational_constant == 0 && draw.below(2) == 0;
  for (std::uint32_t i = 0; i < scene.bodies.size() && i < 3; ++i) {
    if (!is_dynamic(scene.bodies[i].kind)) continue;
    ScriptDef& script = scene.scripts.emplace_back();
    script.body = i;
    script.seed = draw.next();
    script.period = 1 + draw.below(1000);
    script.centre = test::any_vector(draw, 10);
    script.range = draw.below(9) / 7.0;
    script.frequency = 0.25 + draw.below(3);
    script.acceleration_max = draw.below(90) / 3.0;
    script.reach = draw.below(5) / 3.0;
    script.pull = draw.below(5) / 3.0;
  }
}

TEST(SceneCodec, IsTheIdentityOnShapes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Scene scene = test::any_scene(seed);
    SplitMix64 draw(seed);
    add_shapes(scene, draw);
    add_motion(scene, draw);
    ASSERT_TRUE(validate(scene)) << "seed " << seed << ": " << validate(scene).error().text();
    expect_identity(scene);
  }
}

// Makes body 0 kinematic. Adds random joints of every kind between neighbours in `scene.bodies`.
void add_joints(Scene& scene, SplitMix64& draw) {
  scene.integrator = Integrator::semi_implicit_euler;
  scene.bodies[0].kind = BodyKind::kinematic;
  scene.bodies[0].shape = physics::kNoShape;  // add_shapes() may have given it the plane
  for (std::uint32_t i = 0; i + 1 < scene.bodies.size(); ++i) {
    if (!is_dynamic(scene.bodies[i].kind) && !is_dynamic(scene.bodies[i + 1].kind)) continue;
    JointDef& joint = scene.joints.emplace_back();
    joint.kind = static_cast<physics::JointKind>(draw.below(physics::kJointKinds));
    joint.a = i;
    joint.b = i + 1;
    joint.at_a = test::any_vector(draw, 1);
    joint.at_b = test::any_vector(draw, 1);
    if (draw.below(2) == 0) joint.axis = {1, draw.symmetric(), -0.0};
    joint.collides = draw.below(2) == 0;
    if (!physics::traits_of(joint.kind).moves) continue;
    joint.limited = draw.below(2) == 0;
    joint.lower = test::any_amount(draw, 1);
    joint.upper = 1 + test::any_amount(draw, 1);
    joint.frequency = test::any_amount(draw, 9);
    joint.damping_ratio = test::any_amount(draw, 2);
    joint.rest = test::any_amount(draw, 1);
    joint.motor_max = test::any_amount(draw, 50);
    joint.motor_speed = draw.symmetric();
  }
}

TEST(SceneCodec, IsTheIdentityOnJoints) {
  std::size_t joints = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Scene scene = test::any_scene(seed);
    SplitMix64 draw(seed);
    if (draw.below(2) == 0) add_shapes(scene, draw);
    if (draw.below(4) != 0) add_joints(scene, draw);
    scene.rotation = physics::Rotation::cayley;
    ASSERT_TRUE(validate(scene)) << "seed " << seed << ": " << validate(scene).error().text();
    expect_identity(scene);
    joints += scene.joints.size();
  }
  EXPECT_GT(joints, 500u);
}

// A part keeps the fields that only hulls, meshes and height fields use, even if it is a sphere.
TEST(SceneCodec, KeepsPointsTrianglesAndHeights) {
  Scene scene;
  physics::PartDef part;
  part.points = {{0, -0.0, 1}, {2, 3, 4}, {5, 6, 7}};
  part.triangles = {{0, 1, 2}, {2, 1, 0}};
  part.heights = {1, -0.0, 3, 4};
  part.columns = 2;
  part.spacing = 0.25;
  scene.shapes.push_back({{part}});
  scene.integrator = Integrator::semi_implicit_euler;
  scene.bodies.emplace_back();
  expect_identity(scene);
}

TEST(SceneCodec, IsTheIdentityOnBuiltInScenes) {
  for (const BuiltInScene& built_in : built_in_scenes()) {
    expect_identity(built_in_scene(built_in.name).value());
  }
}

TEST(SceneCodec, ReadsBytesAtAnyAddress) {
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(test::any_scene(7), bytes);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<std::uint8_t> moved(shift + bytes.size());
    std::memcpy(moved.data() + shift, bytes.data(), bytes.size());
    EXPECT_TRUE(codec::decode_scene(Bytes(moved).subspan(shift))) << shift;
  }
}

TEST(SceneCodec, RefusesEveryCut) {
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(test::any_scene(3), bytes);
  for (std::size_t size = 0; size + 8 < bytes.size(); ++size) {
    EXPECT_FALSE(codec::decode_scene(Bytes(bytes).first(size))) << size;
  }
}

// Returns a part of a kind, with the points, triangles or heights that it needs.
physics::PartDef part_of(physics::ShapeKind kind) {
  physics::PartDef part;
  part.kind = kind;
  part.pose.orientation = {0.6, 0, 0, 0.8};
  if (kind == physics::ShapeKind::hull) part.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (kind == physics::ShapeKind::mesh) {
    part.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    part.triangles = {{0, 1, 2}};
  }
  if (kind == physics::ShapeKind::height_field) {
    part.heights = {0, 0.25, 0, 0};
    part.columns = 2;
  }
  return part;
}

std::array<std::uint8_t, 8> bytes_of(double value) {
  std::vector<std::uint8_t> bytes;
  ByteWriter(bytes).f64(value);
  std::array<std::uint8_t, 8> eight{};
  std::ranges::copy(bytes, eight.begin());
  return eight;
}

// Writes NaN and infinities into one field of an encoded part. The error must contain the word in
// the first column.
TEST(SceneCodec, NumbersOfShapesThatAreNoneAreRefusedByName) {
  using K = physics::ShapeKind;
  struct {
    const char* field;
    physics::ShapeKind kind;
    double& (*at)(physics::PartDef&);
  } const fields[] = {
      {"position", K::sphere, [](physics::PartDef& p) -> double& { return p.pose.position.x; }},
      {"position", K::plane, [](physics::PartDef& p) -> double& { return p.pose.position.z; }},
      {"orientation", K::box, [](physics::PartDef& p) -> double& { return p.pose.orientation.w; }},
      {"density", K::sphere, [](physics::PartDef& p) -> double& { return p.density; }},
      {"density", K::mesh, [](physics::PartDef& p) -> double& { return p.density; }},
      {"friction", K::plane, [](physics::PartDef& p) -> double& { return p.material.friction; }},
      {"restitution", K::hull,
       [](physics::PartDef& p) -> double& { return p.material.restitution; }},
      {"rolling_resistance", K::mesh,
       [](physics::PartDef& p) -> double& { return p.material.rolling_resistance; }},
      {"radius", K::sphere, [](physics::PartDef& p) -> double& { return p.radius; }},
      {"radius", K::capsule, [](physics::PartDef& p) -> double& { return p.radius; }},
      {"half_length", K::capsule, [](physics::PartDef& p) -> double& { return p.half_length; }},
      {"half_extents", K::box, [](physics::PartDef& p) -> double& { return p.half_extents.y; }},
      {"points", K::hull, [](physics::PartDef& p) -> double& { return p.points[1].x; }},
      {"points", K::mesh, [](physics::PartDef& p) -> double& { return p.points[2].y; }},
      {"heights", K::height_field, [](physics::PartDef& p) -> double& { return p.heights[1]; }},
      {"spacing", K::height_field, [](physics::PartDef& p) -> double& { return p.spacing; }},
      // Fields that the kind does not use must be finite too; the error does not name them.
      {"finite", K::box, [](physics::PartDef& p) -> double& { return p.radius; }},
      {"finite", K::sphere, [](physics::PartDef& p) -> double& { return p.half_extents.z; }},
      {"finite", K::plane, [](physics::PartDef& p) -> double& { return p.half_length; }},
      {"finite", K::hull, [](physics::PartDef& p) -> double& { return p.spacing; }},
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto& field : fields) {
    Scene scene;
    scene.integrator = Integrator::semi_implicit_euler;
    scene.bodies.emplace_back();
    physics::PartDef part = part_of(field.kind);
    const bool turned = field.at(part) == 0.8;
    const double mark = turned ? 0.8 : 0.7331;
    field.at(part) = mark;
    scene.shapes.push_back({{part}});
    std::vector<std::uint8_t> bytes;
    codec::encode_scene(scene, bytes);
    ASSERT_TRUE(codec::decode_scene(bytes)) << field.field;
    const auto marked = bytes_of(mark);
    const auto at = std::search(bytes.begin(), bytes.end(), marked.begin(), marked.end());
    ASSERT_NE(at, bytes.end()) << field.field;
    for (const double wrong : {std::nan(""), kInfinity, -kInfinity}) {
      std::ranges::copy(bytes_of(wrong), at);
      const Result<Scene> read = codec::decode_scene(bytes);
      ASSERT_FALSE(read) << field.field << " " << wrong;
      EXPECT_EQ(read.error().text().rfind("shape 0: part 0: ", 0), 0u) << read.error().text();
      EXPECT_NE(read.error().text().find(field.field), std::string::npos)
          << read.error().text() << " should name " << field.field;
    }
  }
}

// A scene with one flipped bit decodes to an Error or to a valid scene.
TEST(SceneCodec, FlippedBitsNeverGiveAnUnsoundScene) {
  std::vector<std::uint8_t> bytes;
  Scene shaped = test::any_scene(11);
  SplitMix64 draw(11);
  add_shapes(shaped, draw);
  add_joints(shaped, draw);
  codec::encode_scene(shaped, bytes);
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    const Result<Scene> scene = codec::decode_scene(bytes);
    if (!scene) {
      ++refused;
    } else {
      ASSERT_TRUE(validate(scene.value())) << "bit " << bit;
    }
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  }
  EXPECT_GT(refused, bytes.size() / 2);
}

}  // namespace
}  // namespace orrery

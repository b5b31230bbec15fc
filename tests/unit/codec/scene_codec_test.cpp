// Owns the tests of binary scenes: exact both ways, deterministic, closed to unsound ones.
#include "common/codec/scene_codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "common/world/scenes.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

// Everything in a scene as bits, so that -0 and 0 differ.
struct Bits {
  std::vector<std::uint8_t> bytes;
  ByteWriter out{bytes};

  void add(double value) { out.f64(value); }
  void add(std::uint64_t value) { out.u64(value); }
  void add(const Vec3& v) { add(v.x), add(v.y), add(v.z); }
  void add(const std::string& text) {
    add(std::uint64_t{text.size()});
    for (const char c : text) out.u8(static_cast<std::uint8_t>(c));
  }
};

std::vector<std::uint8_t> bits_of(const Scene& s) {
  Bits bits;
  bits.add(s.name), bits.add(s.about), bits.add(std::uint64_t{s.tick_rate});
  bits.add(s.tick_time_numerator), bits.add(s.tick_time_denominator);
  bits.add(std::uint64_t{s.substeps}), bits.add(static_cast<std::uint64_t>(s.integrator));
  bits.add(s.gravity), bits.add(s.gravitational_constant), bits.add(s.softening);
  bits.add(s.grab_frequency), bits.add(s.grab_acceleration_max);
  bits.add(std::uint64_t{s.spare_bodies}), bits.add(std::uint64_t{s.bodies.size()});
  for (const BodyDef& b : s.bodies) {
    bits.add(static_cast<std::uint64_t>(b.kind)), bits.add(static_cast<std::uint64_t>(b.control));
    bits.add(std::uint64_t{b.owner}), bits.add(b.mass), bits.add(b.inertia), bits.add(b.position);
    bits.add(b.velocity), bits.add(b.orientation.x), bits.add(b.orientation.y);
    bits.add(b.orientation.z), bits.add(b.orientation.w), bits.add(b.angular_velocity);
    bits.add(b.gravity_scale), bits.add(b.linear_drag), bits.add(b.quadratic_drag);
    bits.add(b.half_extents);
  }
  bits.add(std::uint64_t{s.names.size()});
  for (const std::string& name : s.names) bits.add(name);
  for (const SpringDef& x : s.springs) {
    bits.add(std::uint64_t{x.a}), bits.add(std::uint64_t{x.b}), bits.add(x.at_a), bits.add(x.at_b);
    bits.add(x.stiffness), bits.add(x.damping), bits.add(x.rest_length);
  }
  for (const TetherDef& x : s.tethers) {
    bits.add(std::uint64_t{x.body}), bits.add(x.at), bits.add(x.anchor);
    bits.add(x.stiffness), bits.add(x.damping), bits.add(x.rest_length);
  }
  return bits.bytes;
}

void expect_identity(const Scene& scene) {
  std::vector<std::uint8_t> bytes;
  encode_scene(scene, bytes);
  const Result<Scene> back = decode_scene(bytes);
  ASSERT_TRUE(back) << scene.name << ": " << back.error().message;
  EXPECT_EQ(bits_of(back.value()), bits_of(scene)) << scene.name;
  std::vector<std::uint8_t> again = {1, 2, 3};
  encode_scene(back.value(), again);
  EXPECT_EQ(again, bytes) << scene.name;
}

TEST(SceneCodec, IsTheIdentityOnRandomScenes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Scene scene = test::any_scene(seed);
    ASSERT_TRUE(validate(scene)) << "seed " << seed;
    expect_identity(scene);
  }
}

TEST(SceneCodec, IsTheIdentityOnBuiltInScenes) {
  for (const BuiltInScene& built_in : built_in_scenes()) {
    expect_identity(built_in_scene(built_in.name).value());
  }
}

TEST(SceneCodec, ReadsBytesAtAnyAddress) {
  std::vector<std::uint8_t> bytes;
  encode_scene(test::any_scene(7), bytes);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<std::uint8_t> moved(shift + bytes.size());
    std::memcpy(moved.data() + shift, bytes.data(), bytes.size());
    EXPECT_TRUE(decode_scene(Bytes(moved).subspan(shift))) << shift;
  }
}

TEST(SceneCodec, RefusesEveryCut) {
  std::vector<std::uint8_t> bytes;
  encode_scene(test::any_scene(3), bytes);
  for (std::size_t size = 0; size + 8 < bytes.size(); ++size) {
    EXPECT_FALSE(decode_scene(Bytes(bytes).first(size))) << size;
  }
}

// Whatever is flipped: an Error, or a scene that is sound.
TEST(SceneCodec, FlippedBitsNeverGiveAnUnsoundScene) {
  std::vector<std::uint8_t> bytes;
  encode_scene(test::any_scene(11), bytes);
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    const Result<Scene> scene = decode_scene(bytes);
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

// Tests the snapshots of mode plain: compares them with the world, and decodes damaged bytes.
#include "common/codec/snapshot_codec.h"

#include <cmath>

#include "common/core/rng.h"
#include "common/world/fault_injector.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

World moved_world(const char* scene, int ticks) {
  World world(built_in_scene(scene).value());
  SerialExecutor serial;
  for (int i = 0; i < ticks; ++i) step(world, {}, serial);
  return world;
}

std::vector<codec::SnapshotPart> round_trip(codec::SnapshotEncoder& encoder, Sequence input) {
  std::vector<codec::SnapshotPart> parts(encoder.parts());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Bytes bytes = encoder.part(i, {input, {}});
    EXPECT_LE(bytes.size(), limits::kMessageBytesMax);
    const std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
    EXPECT_TRUE(codec::decode_snapshot_part(copy, parts[i]));
  }
  return parts;
}

TEST(SnapshotCodec, SaysWhatWasSelectedAndWhereBodiesAre) {
  const World world = moved_world("free:1000", 3);
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 5; slot < 1000; slot += 20) slots.push_back(slot);
  std::vector<std::uint64_t> presence(world.bodies().tiles());
  for (std::uint32_t tile = 0; tile < presence.size(); ++tile)
    presence[tile] = ~std::uint64_t{tile};
  codec::SnapshotEncoder encoder;
  encoder.encode(world, {slots, presence, 1});
  std::vector<std::uint32_t> seen;
  std::uint32_t tiles = 0;
  const std::vector<codec::SnapshotPart> parts = round_trip(encoder, Sequence{1});
  EXPECT_EQ(parts.size(), 4u);
  for (const codec::SnapshotPart& part : parts) {
    for (const codec::BodyState& body : part.bodies) {
      seen.push_back(slot_of(body.id));
      EXPECT_EQ(body.tick, Tick{3});
      EXPECT_EQ(body.position, world.bodies().position(slot_of(body.id)));
    }
    ASSERT_TRUE(part.presence);
    // Part 0 has the presence of tiles 8 to 15, and part 1 that of tiles 0 to 7.
    const std::uint32_t expected = part.part == 0 ? 8 : 0;
    EXPECT_EQ(part.presence->tiles, part.part < 2 ? 8u : 0u);
    if (part.part < 2) {
      EXPECT_EQ(part.presence->first, 64 * expected);
    }
    for (std::uint32_t i = 0; i < part.presence->tiles; ++i, ++tiles) {
      EXPECT_EQ(part.presence->masks[i], presence[expected + i]);
    }
  }
  EXPECT_EQ(seen, slots);
  EXPECT_EQ(tiles, 16u);
  encoder.encode(world);
  EXPECT_FALSE(round_trip(encoder, {})[0].presence);
}

TEST(SnapshotCodec, ASelectionCanHaveMoreMasksThanItsBodiesNeed) {
  const World world = moved_world("free:1000", 3);
  const std::vector<std::uint32_t> slots = {5, 700};
  const std::vector<std::uint64_t> presence(world.bodies().tiles(), 7);
  codec::SnapshotEncoder encoder;
  encoder.encode(world, {slots, presence, 0, 2});
  const std::vector<codec::SnapshotPart> parts = round_trip(encoder, Sequence{1});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].bodies.size(), 2u);
  EXPECT_EQ(parts[1].bodies.size(), 0u);
  EXPECT_EQ(parts[0].presence->tiles + parts[1].presence->tiles, presence.size());
}

TEST(SnapshotCodec, TheLargestSelectionIsTaken) {
  const World world = moved_world("free:16000", 0);
  std::vector<std::uint32_t> slots;
  for (std::uint32_t i = 0; i < codec::kSnapshotPartsMax * codec::kSelectionPartBodies; ++i)
    slots.push_back(i);
  const std::vector<std::uint64_t> presence(world.bodies().tiles(), ~std::uint64_t{0});
  codec::SnapshotEncoder encoder;
  encoder.encode(world, {slots, presence, 0});
  EXPECT_EQ(round_trip(encoder, Sequence{1}).size(), codec::kSnapshotPartsMax);
}

TEST(SnapshotCodec, SaysWhatTheWorldHas) {
  for (const char* scene : {"playground", "solar", "tumble", "free:1000"}) {
    SCOPED_TRACE(scene);
    const World world = moved_world(scene, 10);
    codec::SnapshotEncoder encoder;
    encoder.encode(world);
    std::uint32_t seen = 0;
    std::size_t index = 0;
    for (const codec::SnapshotPart& part : round_trip(encoder, Sequence{77})) {
      EXPECT_EQ(part.tick, Tick{10});
      EXPECT_EQ(part.report.input, Sequence{77});
      EXPECT_EQ(part.part, index++);
      EXPECT_EQ(part.parts, encoder.parts());
      for (const codec::BodyState& body : part.bodies) {
        const std::uint32_t slot = slot_of(body.id);
        EXPECT_EQ(body.id, body_id(world, slot));
        EXPECT_EQ(body.prototype, world.controls().prototypes[slot]);
        EXPECT_EQ(body.position, world.bodies().position(slot));
        const Vec3 dv = body.velocity - world.bodies().velocity(slot);
        EXPECT_LE(length(dv), 1e-6 * (1e-30 + length(world.bodies().velocity(slot))));
        const Vec3 dw = body.angular_velocity - world.bodies().angular_velocity(slot);
        EXPECT_LE(length(dw), 1e-6 * (1e-30 + length(world.bodies().angular_velocity(slot))));
        EXPECT_NEAR(body.orientation.w, world.bodies().orientation(slot).w, 1e-7);
        ++seen;
      }
    }
    EXPECT_EQ(seen, world.bodies().count());
  }
}

TEST(CommandMargin, SurvivesBothEncodings) {
  for (int units = -32767; units <= 32767; ++units) {
    const codec::CommandMargin margin(units);
    ASSERT_EQ(margin.units(), units);
    ASSERT_EQ(codec::CommandMargin::from_wire(margin.to_wire()), margin);
    ASSERT_EQ(codec::CommandMargin::from_varint(margin.to_varint()), margin);
  }
  // a margin of a whole tick fits into one byte
  EXPECT_EQ(codec::CommandMargin(16).to_varint(), 33u);
  EXPECT_EQ(codec::CommandMargin().to_varint(), 0u);
  EXPECT_EQ(codec::CommandMargin::from_varint(0), codec::CommandMargin());
  EXPECT_EQ(codec::CommandMargin::from_varint(65536), codec::CommandMargin());
  EXPECT_EQ(codec::CommandMargin(1'000'000).units(), 32767);
  EXPECT_EQ(codec::CommandMargin(-1'000'000).units(), -32767);
}

TEST(SnapshotCodec, TellsEachClientItsOwnMargin) {
  const World world = moved_world("playground", 1);
  codec::SnapshotEncoder encoder;
  encoder.encode(world);
  for (const codec::CommandMargin margin :
       {codec::CommandMargin(-37), codec::CommandMargin(), codec::CommandMargin(500)}) {
    const Bytes bytes = encoder.part(0, {Sequence{5}, margin});
    const std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
    codec::SnapshotPart part;
    ASSERT_TRUE(codec::decode_snapshot_part(copy, part));
    EXPECT_EQ(part.report.input, Sequence{5});
    EXPECT_EQ(part.report.margin, margin);
  }
}

TEST(SnapshotCodec, TellsEachClientItsOwnAcknowledgement) {
  const World world = moved_world("playground", 1);
  codec::SnapshotEncoder encoder;
  encoder.encode(world);
  const auto first = round_trip(encoder, Sequence{1});
  const auto second = round_trip(encoder, Sequence{0xffffffff});
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].report.input, Sequence{1});
    EXPECT_EQ(second[i].report.input, Sequence{0xffffffff});
    EXPECT_EQ(first[i].bodies.size(), second[i].bodies.size());
  }
}

TEST(SnapshotCodec, AWorldWithoutBodiesIsOneEmptyPart) {
  World world(built_in_scene("free:1").value());
  FaultInjector(world).state().bodies.vacate(0);
  codec::SnapshotEncoder encoder;
  encoder.encode(world);
  const auto parts = round_trip(encoder, Sequence{});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].bodies.empty());
}

TEST(SnapshotCodec, LargeWorldsAreCutAtTheLimit) {
  const World world = moved_world("free:20000", 0);
  codec::SnapshotEncoder encoder;
  encoder.encode(world);
  std::size_t bodies = 0;
  for (const codec::SnapshotPart& part : round_trip(encoder, Sequence{}))
    bodies += part.bodies.size();
  EXPECT_EQ(bodies, limits::kSnapshotBodiesMax);
}

// If the bytes decode, checks that bodies are finite, in order, and have unit orientations.
void expect_harmless(const std::vector<std::uint8_t>& bytes) {
  codec::SnapshotPart part;
  if (!codec::decode_snapshot_part(bytes, part)) return;
  EXPECT_LT(part.part, part.parts);
  EXPECT_LE(part.bodies.size(), codec::kSnapshotPartBodies);
  const codec::BodyState* before = nullptr;
  for (const codec::BodyState& b : part.bodies) {
    EXPECT_TRUE(std::isfinite(length(b.velocity)) && std::isfinite(length(b.angular_velocity)));
    EXPECT_TRUE(std::isfinite(b.position.x + b.position.y + b.position.z) ||
                std::isfinite(b.position.x / 4 + b.position.y / 4 + b.position.z / 4));
    const Quat& q = b.orientation;
    EXPECT_NEAR(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1, 1e-3);
    EXPECT_TRUE(!before || slot_of(before->id) < slot_of(b.id));
    before = &b;
  }
}

TEST(SnapshotCodec, EverySingleBitFlipAndTruncationIsHarmless) {
  const World world = moved_world("playground", 30);
  codec::SnapshotEncoder encoder;
  encoder.encode(world);
  const Bytes part = encoder.part(0, {Sequence{3}, {}});
  const std::vector<std::uint8_t> bytes(part.begin(), part.end());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    auto flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    expect_harmless(flipped);
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    codec::SnapshotPart cut;
    const std::vector<std::uint8_t> front(bytes.begin(),
                                          bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(codec::decode_snapshot_part(front, cut)) << size;
  }
}

// Replaces each 32-bit word of a part by NaN, infinity and the largest float. Then writes random
// bytes at random places.
TEST(SnapshotCodec, NothingThatIsNotANumberGetsThrough) {
  const World world = moved_world("playground", 30);
  codec::SnapshotEncoder encoder;
  encoder.encode(world);
  const Bytes part = encoder.part(0, {Sequence{3}, {}});
  const std::vector<std::uint8_t> bytes(part.begin(), part.end());
  for (const std::uint32_t bits :
       {0x7fc00000u, 0x7f800001u, 0x7f800000u, 0xff800000u, 0x7f7fffffu}) {
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      auto changed = bytes;
      for (std::size_t i = 0; i < 4; ++i) {
        changed[at + i] = static_cast<std::uint8_t>(bits >> 8 * i);
      }
      expect_harmless(changed);
    }
  }
  SplitMix64 random(5);
  for (int i = 0; i < 100000; ++i) {
    auto changed = bytes;
    for (std::uint32_t n = random.below(6) + 1; n > 0; --n) {
      const std::uint32_t place = random.below(static_cast<std::uint32_t>(bytes.size()));
      changed[place] = static_cast<std::uint8_t>(random.next());
    }
    expect_harmless(changed);
  }
}

}  // namespace
}  // namespace orrery

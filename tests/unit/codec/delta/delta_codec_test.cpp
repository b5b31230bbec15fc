// Tests the delta codec on sessions: every frame comes back, whatever was lost, and hostile bytes
// end in an error.
#include "common/codec/delta/delta_codec.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/codec/delta/frame_task.h"
#include "common/core/limits.h"
#include "tests/unit/codec/delta/sessions.h"

namespace orrery::codec {
namespace {

// The tests of sessions run at each level.
class DeltaCodecAtLevel : public testing::TestWithParam<DeltaLevel> {};
INSTANTIATE_TEST_SUITE_P(Levels, DeltaCodecAtLevel,
                         testing::Values(DeltaLevel::cheap, DeltaLevel::fast));

TEST_P(DeltaCodecAtLevel, SessionsComeBackAtEveryDistance) {
  for (const std::string name : {"playground", "ragdolls:4", "crates:20", "solar", "jumble:20"}) {
    const Session session = session_of(name, 90, 5);
    for (const std::size_t distance : {1u, 2u, 6u, 30u}) {
      DeltaCodec encoder(session.scene, GetParam()), decoder(session.scene, GetParam());
      std::vector<CodedFrame> sent(session.frames.size()), received(session.frames.size());
      const CodedFrame nothing;
      for (std::size_t i = 0; i < session.frames.size(); ++i) {
        const bool first = i < distance;
        std::vector<std::uint8_t> bytes;
        const std::uint32_t references[] = {3, 3, 0xFFFFFFFF, 0};
        encoder.encode(first ? nothing : sent[i - distance], session.frames[i], references, sent[i],
                       bytes);
        ASSERT_TRUE(decoder.decode(first ? nothing : received[i - distance], session.frames[i].tick,
                                   bytes, received[i]))
            << name << " tick " << i + 1 << " distance " << distance;
        ASSERT_EQ(received[i].frame.bodies, session.frames[i].bodies);
        ASSERT_EQ(received[i].checksum, sent[i].checksum);
        ASSERT_EQ(sent[i].frame.bodies, session.frames[i].bodies);
      }
    }
  }
}

// Acknowledgements come late and frames are lost. The baseline can therefore be any frame that
// arrived.
TEST_P(DeltaCodecAtLevel, LostFramesBreakNothing) {
  const Session session = session_of("playground", 300, 9);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SplitMix64 random(seed);
    DeltaCodec encoder(session.scene, GetParam()), decoder(session.scene, GetParam());
    std::vector<std::pair<CodedFrame, CodedFrame>> arrived(1);  // encoder's and decoder's
    for (const QuantisedFrame& frame : session.frames) {
      const std::size_t back = std::min<std::size_t>(random.below(8), arrived.size() - 1);
      const auto& [here, there] = arrived[arrived.size() - 1 - back];
      std::vector<std::uint8_t> bytes;
      std::pair<CodedFrame, CodedFrame> next;
      encoder.encode(here, frame, {}, next.first, bytes);
      if (random.below(3) == 0) continue;  // lost
      ASSERT_TRUE(decoder.decode(there, frame.tick, bytes, next.second)) << "seed " << seed;
      ASSERT_EQ(next.second.frame.bodies, frame.bodies) << "seed " << seed;
      ASSERT_EQ(next.second.checksum, next.first.checksum) << "seed " << seed;
      arrived.push_back(next);
    }
  }
}

TEST_P(DeltaCodecAtLevel, BytesDependOnTheFramesAlone) {
  const Session session = session_of("playground", 60, 2);
  Pair used(session.scene, GetParam());
  for (const QuantisedFrame& frame : session.frames) ASSERT_GE(used.send(frame), 0);
  DeltaCodec fresh(session.scene, GetParam());
  Pair again(session.scene, GetParam());
  for (std::size_t i = 0; i + 1 < session.frames.size(); ++i) {
    ASSERT_GE(again.send(session.frames[i]), 0);
  }
  CodedFrame coded;
  std::vector<std::uint8_t> bytes;
  fresh.encode(again.sent, session.frames.back(), {}, coded, bytes);
  EXPECT_EQ(bytes, used.bytes);
  EXPECT_EQ(coded.checksum, used.sent.checksum);
}

TEST(DeltaCodec, ChecksumsSeeEveryDifference) {
  const Session session = session_of("playground", 20, 2);
  Pair pair(session.scene);
  for (const QuantisedFrame& frame : session.frames) ASSERT_GE(pair.send(frame), 0);
  // The same last frame, coded directly: its bodies are the same, but its motions are others.
  Pair direct(session.scene);
  ASSERT_GE(direct.send(session.frames.back()), 0);
  EXPECT_EQ(direct.sent.bodies_checksum, pair.sent.bodies_checksum);
  EXPECT_NE(direct.sent.checksum, pair.sent.checksum);
  QuantisedFrame other = session.frames.back();
  ++other.bodies[5].position[1];
  Pair changed(session.scene);
  ASSERT_GE(changed.send(other), 0);
  EXPECT_NE(changed.sent.bodies_checksum, direct.sent.bodies_checksum);
}

TEST(DeltaCodec, ChecksumsSeeEachFieldOfABody) {
  const QuantisedFrame frame{Tick{1}, {body_at(0, 1, 2, 3), body_at(1, 4, 5, 6)}};
  const auto differs = [&](auto change) {
    QuantisedFrame other = frame;
    change(other.bodies[1]);
    return checksum_of(other) != checksum_of(frame);
  };
  EXPECT_FALSE(differs([](QuantisedBody&) {}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(differs([&](QuantisedBody& b) { ++b.position[i]; }));
    EXPECT_TRUE(differs([&](QuantisedBody& b) { ++b.orientation[i]; }));
  }
  EXPECT_TRUE(differs([](QuantisedBody& b) { b.id = make_body_id(1, 1); }));
  EXPECT_TRUE(differs([](QuantisedBody& b) { ++b.prototype; }));
  EXPECT_TRUE(differs([](QuantisedBody& b) { ++b.size; }));
  EXPECT_TRUE(differs([](QuantisedBody& b) { b.largest ^= 1; }));
  EXPECT_TRUE(differs([](QuantisedBody& b) { b.active = !b.active; }));
  EXPECT_TRUE(differs([](QuantisedBody& b) { b = {}; }));
  QuantisedFrame swapped = frame;  // the same bodies in other slots
  std::swap(swapped.bodies[0], swapped.bodies[1]);
  EXPECT_NE(checksum_of(swapped), checksum_of(frame));
}

// Two frames with equal bodies differ if a prediction from them would.
TEST(DeltaCodec, ChecksumsSeeWhatPredictionsUse) {
  DeltaCodec coder(cubes(2), DeltaLevel::cheap);
  const auto checksum = [&](std::uint64_t tick, std::int32_t from, std::uint32_t mover,
                            std::vector<std::uint32_t> references) {
    CodedFrame before, after;
    std::vector<std::uint8_t> bytes;
    QuantisedFrame frame{Tick{1}, {body_at(0, 0, 0, 0), body_at(1, 0, 0, 0)}};
    frame.bodies[mover].position[0] = from;
    coder.encode(CodedFrame{}, frame, {}, before, bytes);
    frame.tick = Tick{tick};
    frame.bodies[mover].position[0] = 0;
    coder.encode(before, frame, references, after, bytes);
    return after.checksum;
  };
  const std::uint64_t one = checksum(5, 70, 0, {});
  EXPECT_EQ(checksum(5, 70, 0, {}), one);
  EXPECT_NE(checksum(6, 70, 0, {}), one);
  EXPECT_NE(checksum(5, 71, 0, {}), one);  // another motion
  EXPECT_NE(checksum(5, 70, 1, {}), one);  // of another body
  EXPECT_NE(checksum(5, 70, 0, {1}), one);
}

// Decodes bytes that may be anything. Whatever comes out must be on the grid.
void decode_hostile(const Session& session, DeltaLevel level, const CodedFrame& baseline,
                    Bytes bytes, Tick tick) {
  DeltaCodec decoder(session.scene, level);
  CodedFrame out;
  if (!decoder.decode(baseline, tick, bytes, out)) return;
  ASSERT_EQ(out.frame.bodies.size(), session.scene.slots);
  for (const QuantisedBody& body : out.frame.bodies) {
    if (!body.present) continue;
    ASSERT_LT(body.prototype, session.scene.prototypes);
    ASSERT_LT(body.largest, 4);
    for (const std::int32_t x : body.position) ASSERT_LE(std::abs(x), kGridPositionMax);
    for (const std::uint16_t x : body.orientation) {
      ASSERT_LT(x, 1u << session.scene.grid.orientation_bits);
    }
  }
}

TEST_P(DeltaCodecAtLevel, HostileBytesEndInAnErrorOrOnTheGrid) {
  const Session session = session_of("playground", 24, 4);
  Pair pair(session.scene, GetParam());
  std::vector<CodedFrame> baselines(1);
  for (const QuantisedFrame& frame : session.frames) {
    ASSERT_GE(pair.send(frame), 0);
    baselines.push_back(pair.sent);
  }
  const Tick tick{session.frames.back().tick.value + 1};
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    SplitMix64 random(seed);
    std::vector<std::uint8_t> bytes = pair.bytes;
    if (random.below(4) == 0) {
      bytes.resize(random.below(200));
      for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random.next());
    }
    if (!bytes.empty())
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] ^=
          static_cast<std::uint8_t>(1u << random.below(8));
    if (random.below(3) == 0)
      bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size()) + 1));
    // Often chooses another baseline than the bytes name.
    const std::size_t at = random.below(static_cast<std::uint32_t>(baselines.size()));
    decode_hostile(session, GetParam(), baselines[at], bytes, tick);
  }
}

// An infinite error would make a weight of a blend not a number.
TEST_P(DeltaCodecAtLevel, ErrorsStayFiniteWithTheStrongestGravity) {
  Scene strong = built_in_scene("playground").value();
  strong.gravity = {0, -limits::kAccelerationMax, 0};
  strong.snapshot_position_step = 1e-9;
  DeltaScene scene = cubes(1);
  scene.gravity = delta_scene_of(strong).gravity;
  Pair pair(scene, GetParam());
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::int32_t x = i % 2 == 0 ? kGridPositionMax : -kGridPositionMax;
    ASSERT_GE(pair.send({Tick{1 + i * kSpanMax}, {body_at(0, x, x, x)}}), 0);
    for (const BodyMotion& motion : pair.sent.motions) {
      for (const float e : motion.position_errors) EXPECT_TRUE(std::isfinite(e));
      for (const float e : motion.rotation_errors) EXPECT_TRUE(std::isfinite(e));
    }
  }
  EXPECT_EQ(pair.sent.motions.size(), 1u);
}

// A baseline can be of another level than the frame.
TEST(DeltaCodec, LevelsCanChangeFromFrameToFrame) {
  const Session session = session_of("playground", 120, 3);
  SplitMix64 random(8);
  DeltaCodec encoder(session.scene, DeltaLevel::fast), decoder(session.scene, DeltaLevel::fast);
  CodedFrame sent, received;
  for (const QuantisedFrame& frame : session.frames) {
    const auto level = static_cast<DeltaLevel>(random.below(2));
    encoder.set_level(level);
    decoder.set_level(level);
    std::vector<std::uint8_t> bytes;
    CodedFrame here, there;
    encoder.encode(sent, frame, {}, here, bytes);
    ASSERT_TRUE(decoder.decode(received, frame.tick, bytes, there));
    ASSERT_EQ(there.frame.bodies, frame.bodies);
    ASSERT_EQ(there.checksum, here.checksum);
    sent = here;
    received = there;
  }
}

// More CPU time must buy fewer bytes.
TEST(DeltaCodec, HigherLevelsNeedFewerBytes) {
  const Session session = session_of("cubes", 300, 3);
  std::size_t last = 0;
  for (const DeltaLevel level : {DeltaLevel::fast, DeltaLevel::cheap}) {
    Pair pair(session.scene, level);
    std::size_t bytes = 0;
    for (const QuantisedFrame& frame : session.frames) {
      ASSERT_GE(pair.send(frame), 0);
      if (frame.tick.value > 1) bytes += pair.bytes.size();
    }
    EXPECT_GT(bytes, last);
    EXPECT_LT(bytes, last == 0 ? bytes + 1 : 3 * last);
    last = bytes;
  }
}

TEST(DeltaCodec, WorldsWithoutBodiesCostAByte) {
  Pair pair(cubes(0));
  for (std::uint64_t tick = 1; tick < 5; ++tick) EXPECT_EQ(pair.send({Tick{tick}, {}}), 1);
}

TEST(DeltaCodec, AWorldAtRestCostsAFewBytes) {
  for (const auto& [level, most] : {std::pair{DeltaLevel::fast, 2}, {DeltaLevel::cheap, 4}}) {
    Pair pair(cubes(900), level);
    QuantisedFrame frame{Tick{1}, {}};
    for (std::uint32_t i = 0; i < 900; ++i) {
      frame.bodies.push_back(body_at(i, static_cast<std::int32_t>(i % 30) * 200, 0,
                                     static_cast<std::int32_t>(i / 30) * 200));
    }
    ASSERT_GE(pair.send(frame), 0);
    frame.tick = Tick{2};
    const int size = pair.send(frame);
    EXPECT_GE(size, 0);
    EXPECT_LE(size, most);
  }
}

}  // namespace
}  // namespace orrery::codec

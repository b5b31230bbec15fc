// Tests the delta codec on sessions: every frame comes back, whatever was lost, and hostile bytes
// end in an error.
#include "common/codec/delta/delta_codec.h"

#include <gtest/gtest.h>

#include "common/core/limits.h"
#include "tests/unit/codec/delta/sessions.h"

namespace orrery::codec {
namespace {

TEST(DeltaCodec, SessionsComeBackAtEveryDistance) {
  for (const std::string name : {"playground", "ragdolls:4", "crates:20", "solar", "jumble:20"}) {
    const Session session = session_of(name, 90, 5);
    for (const std::size_t distance : {1u, 2u, 6u, 30u}) {
      DeltaCodec encoder(session.scene, DeltaLevel::full), decoder(session.scene, DeltaLevel::full);
      std::vector<CodedFrame> sent(session.frames.size()), received(session.frames.size());
      const CodedFrame nothing;
      for (std::size_t i = 0; i < session.frames.size(); ++i) {
        const bool first = i < distance;
        std::vector<std::uint8_t> bytes;
        const std::uint32_t references[] = {3, 3, 0xFFFFFFFF, 0};
        encoder.encode(first ? nothing : sent[i - distance], session.frames[i], references, sent[i],
                       bytes);
        ASSERT_TRUE(decoder.decode(first ? nothing : received[i - distance], session.frames[i].tick,
                                   true, bytes, received[i]))
            << name << " tick " << i + 1 << " distance " << distance;
        ASSERT_EQ(received[i].frame.bodies, session.frames[i].bodies);
        ASSERT_EQ(received[i].checksum, sent[i].checksum);
        ASSERT_EQ(sent[i].frame.bodies, session.frames[i].bodies);
      }
    }
  }
}

// The baseline is any frame that arrived, as when acknowledgements come late and frames are lost.
TEST(DeltaCodec, LostFramesBreakNothing) {
  const Session session = session_of("playground", 300, 9);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SplitMix64 random(seed);
    DeltaCodec encoder(session.scene, DeltaLevel::full), decoder(session.scene, DeltaLevel::full);
    std::vector<std::pair<CodedFrame, CodedFrame>> arrived(1);  // encoder's and decoder's
    for (const QuantisedFrame& frame : session.frames) {
      const std::size_t back = std::min<std::size_t>(random.below(8), arrived.size() - 1);
      const auto& [here, there] = arrived[arrived.size() - 1 - back];
      std::vector<std::uint8_t> bytes;
      std::pair<CodedFrame, CodedFrame> next;
      encoder.encode(here, frame, {}, next.first, bytes);
      if (random.below(3) == 0) continue;  // lost
      ASSERT_TRUE(decoder.decode(there, frame.tick, true, bytes, next.second)) << "seed " << seed;
      ASSERT_EQ(next.second.frame.bodies, frame.bodies) << "seed " << seed;
      ASSERT_EQ(next.second.checksum, next.first.checksum) << "seed " << seed;
      arrived.push_back(next);
    }
  }
}

// A frame that arrived, on both sides, and the tick of the last change of each body.
struct Arrived {
  CodedFrame here, there;
  std::vector<std::uint64_t> changed;
};

// Bodies that a partial frame leaves out stay as they are in the baseline.
TEST(DeltaCodec, PartialFramesComeBackWithTheAgesOfTheirBodies) {
  const Session session = session_of("playground", 200, 5);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    SplitMix64 random(seed);
    DeltaCodec encoder(session.scene, DeltaLevel::full), decoder(session.scene, DeltaLevel::full);
    std::vector<Arrived> arrived(1);
    arrived[0].changed.resize(session.scene.slots);
    for (QuantisedFrame frame : session.frames) {
      const std::size_t back = std::min<std::size_t>(random.below(5), arrived.size() - 1);
      const Arrived& from = arrived[arrived.size() - 1 - back];
      const std::vector<QuantisedBody>& before = from.here.frame.bodies;
      Arrived next{.here = {}, .there = {}, .changed = from.changed};
      frame.whole = random.below(5) == 0;
      for (std::uint32_t slot = 0; slot < session.scene.slots; ++slot) {
        const QuantisedBody old = slot < before.size() ? before[slot] : QuantisedBody{};
        if (!frame.whole && random.below(3) != 0) frame.bodies[slot] = old;
        if (frame.whole || frame.bodies[slot] != old) next.changed[slot] = frame.tick.value;
      }
      std::vector<std::uint8_t> bytes;
      encoder.encode(from.here, frame, {}, next.here, bytes);
      if (random.below(3) == 0) continue;  // lost
      ASSERT_TRUE(decoder.decode(from.there, frame.tick, frame.whole, bytes, next.there));
      ASSERT_EQ(next.there.frame.bodies, frame.bodies);
      ASSERT_EQ(next.there.checksum, next.here.checksum);
      for (std::uint32_t slot = 0; slot < session.scene.slots; ++slot) {
        if (!frame.bodies[slot].present) continue;
        ASSERT_EQ(frame.tick.value - age_of(next.there, slot), next.changed[slot]) << slot;
      }
      arrived.push_back(next);
    }
  }
}

// Two bodies in steady motion, of which each frame has one. A prediction over the time of a frame
// instead of the time of the body misses by a hundred steps.
TEST(DeltaCodec, APartialFramePredictsOverTheAgeOfTheBody) {
  Pair pair(cubes(2));
  QuantisedFrame frame;
  frame.whole = false;
  frame.bodies = {body_at(0, 0, 0, 0), body_at(1, 5000, 0, 0)};
  int bytes = 0;
  for (std::uint64_t tick = 1; tick <= 60; ++tick) {
    frame.tick = Tick{tick};
    frame.bodies[tick % 2] = body_at(tick % 2, static_cast<std::int32_t>(100 * tick), 0, 0);
    const int sent = pair.send(frame);
    ASSERT_GE(sent, 0);
    if (tick > 20) bytes += sent;
  }
  EXPECT_LT(bytes, 40 * 4);
}

TEST(DeltaCodec, BytesDependOnTheFramesAlone) {
  const Session session = session_of("playground", 60, 2);
  Pair used(session.scene);
  for (const QuantisedFrame& frame : session.frames) ASSERT_GE(used.send(frame), 0);
  DeltaCodec fresh(session.scene, DeltaLevel::full);
  Pair again(session.scene);
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
  // The same frame by another way has the same bodies, and other motions.
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

// Decodes bytes that may be anything. Whatever comes out must be on the grid.
void decode_hostile(const Session& session, const CodedFrame& baseline, Bytes bytes, Tick tick) {
  DeltaCodec decoder(session.scene, DeltaLevel::full);
  CodedFrame out;
  if (!decoder.decode(baseline, tick, tick.value % 2 == 0, bytes, out)) return;
  ASSERT_EQ(out.frame.bodies.size(), session.scene.slots);
  for (const QuantisedBody& body : out.frame.bodies) {
    if (!body.present) continue;
    ASSERT_LT(body.prototype, session.scene.radii.size());
    ASSERT_LT(body.largest, 4);
    for (const std::int32_t x : body.position) ASSERT_LE(std::abs(x), kGridPositionMax);
    for (const std::uint16_t x : body.orientation) {
      ASSERT_LT(x, 1u << session.scene.grid.orientation_bits);
    }
  }
}

TEST(DeltaCodec, HostileBytesEndInAnErrorOrOnTheGrid) {
  const Session session = session_of("playground", 24, 4);
  Pair pair(session.scene);
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
    // Often another baseline than that of the bytes.
    const std::size_t at = random.below(static_cast<std::uint32_t>(baselines.size()));
    decode_hostile(session, baselines[at], bytes, tick);
  }
}

TEST(DeltaCodec, WorldsWithoutBodiesCostAByte) {
  Pair pair(cubes(0));
  for (std::uint64_t tick = 1; tick < 5; ++tick) EXPECT_EQ(pair.send({Tick{tick}, {}}), 1);
}

TEST(DeltaCodec, AWorldAtRestCostsAByteOrTwo) {
  Pair pair(cubes(900));
  QuantisedFrame frame{Tick{1}, {}};
  for (std::uint32_t i = 0; i < 900; ++i) {
    frame.bodies.push_back(body_at(i, static_cast<std::int32_t>(i % 30) * 200, 0,
                                   static_cast<std::int32_t>(i / 30) * 200));
  }
  ASSERT_GE(pair.send(frame), 0);
  frame.tick = Tick{2};
  const int size = pair.send(frame);
  EXPECT_GE(size, 0);
  EXPECT_LE(size, 2);
}

}  // namespace
}  // namespace orrery::codec

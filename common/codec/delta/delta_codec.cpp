// Encodes and decodes a frame, and keeps its checksums.
#include "common/codec/delta/delta_codec.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/codec/delta/body_coder.h"
#include "common/codec/delta/change_coder.h"
#include "common/codec/delta/frame_task.h"
#include "common/codec/delta/range_coder.h"
#include "common/core/hash.h"
#include "common/core/limits.h"

namespace orrery::codec {

struct DeltaCodec::State {
  DeltaScene scene;
  DeltaLevel level;
  Weights weights;
  ResidualTables tables;
  FrameScratch scratch;

  // Prepares `coded` for the frame of a tick after the baseline.
  FrameTask start(const CodedFrame& baseline, Tick tick, bool whole, CodedFrame& coded) {
    coded.frame.tick = tick;
    coded.frame.whole = whole;
    coded.span = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(tick.value - baseline.frame.tick.value, kSpanMax));
    coded.motions.clear();
    return {.scene = scene,
            .weights = weights,
            .tables = tables,
            .level = level,
            .baseline = baseline,
            .coded = coded,
            .scratch = scratch};
  }
};

DeltaCodec::DeltaCodec(DeltaScene scene, DeltaLevel level, const Weights& weights)
    : state_(std::make_unique<State>(State{std::move(scene), level, weights, {}, {}})) {
  ORRERY_ASSERT(state_->scene.slots <= limits::kBodiesMax);
  ORRERY_ASSERT(state_->scene.grid.position_step > 0);
  ORRERY_ASSERT(is_sound(weights.position) && is_sound(weights.rotation));
}
DeltaCodec::~DeltaCodec() = default;
DeltaCodec::DeltaCodec(DeltaCodec&&) noexcept = default;
DeltaCodec& DeltaCodec::operator=(DeltaCodec&&) noexcept = default;

void DeltaCodec::set_level(DeltaLevel level) { state_->level = level; }

DeltaLevel DeltaCodec::level() const { return state_->level; }

const DeltaScene& DeltaCodec::scene() const { return state_->scene; }

namespace {

// Mixes words into a hash.
class WordHash {
 public:
  WordHash& add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9E3779B97F4A7C15;
    hash_ ^= hash_ >> 32;
    return *this;
  }
  WordHash& add(float x) { return add(std::uint64_t{std::bit_cast<std::uint32_t>(x)}); }
  std::uint64_t value() const { return mix64(hash_); }

 private:
  std::uint64_t hash_ = 0;
};

std::uint64_t hash_of(std::uint32_t slot, const QuantisedBody& body) {
  if (!body.present) return 0;
  const auto word = [](auto high, auto low) {
    return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low);
  };
  WordHash hash;
  hash.add(word(slot, body.id.value)).add(word(body.prototype, body.position[0]));
  hash.add(word(body.position[1], body.position[2]));
  hash.add(word(body.orientation[0] << 16 | body.orientation[1],
                body.orientation[2] << 3 | body.largest << 1 | (body.active ? 1 : 0)));
  return hash.value();
}

// Sets the ages of the bodies of a partial frame.
void set_ages(const CodedFrame& baseline, const FrameScratch& scratch, CodedFrame& coded) {
  coded.ages.clear();
  if (coded.frame.whole) return;
  constexpr std::uint64_t kMost = 0xFFFFFFFF;
  const std::uint64_t passed = coded.frame.tick.value - baseline.frame.tick.value;
  for (std::uint32_t slot = 0; slot < coded.frame.bodies.size(); ++slot) {
    const std::uint64_t age = passed + age_of(baseline, slot);
    coded.ages.push_back(static_cast<std::uint32_t>(std::min(age, kMost)));
  }
  for (const std::uint32_t slot : scratch.arrivals) coded.ages[slot] = 0;
  for (const ChangedBody& body : scratch.changed) coded.ages[body.slot] = 0;
}

// Sets the checksums of a coded frame from the checksum of its baseline and the bodies that differ.
void set_checksums(const CodedFrame& baseline, const FrameScratch& scratch, CodedFrame& coded) {
  std::uint64_t bodies = baseline.bodies_checksum;
  const auto replace = [&](std::uint32_t slot) {
    if (slot < baseline.frame.bodies.size()) bodies -= hash_of(slot, baseline.frame.bodies[slot]);
    bodies += hash_of(slot, coded.frame.bodies[slot]);
  };
  for (const std::uint32_t slot : scratch.arrivals) replace(slot);
  for (const ChangedBody& body : scratch.changed) replace(body.slot);
  coded.bodies_checksum = bodies;
  WordHash hash;
  hash.add(bodies).add(coded.frame.tick.value).add(std::uint64_t{coded.span});
  for (const BodyMotion& motion : coded.motions) {
    // A motion of the span of its frame counts as one without a span.
    hash.add(std::uint64_t{motion.span - coded.span} << 32 | motion.slot);
    for (const float x : {motion.rotation.x, motion.rotation.y, motion.rotation.z}) hash.add(x);
    for (const std::int32_t x : motion.displacement) hash.add(static_cast<std::uint64_t>(x));
    for (const float x : motion.position_errors) hash.add(x);
    for (const float x : motion.rotation_errors) hash.add(x);
  }
  for (const std::uint32_t slot : coded.references) hash.add(std::uint64_t{slot});
  for (const std::uint32_t age : coded.ages) hash.add(std::uint64_t{age});
  coded.checksum = hash.value();
}

}  // namespace

void DeltaCodec::encode(const CodedFrame& baseline, const QuantisedFrame& frame,
                        std::span<const std::uint32_t> references, CodedFrame& coded,
                        std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(&coded != &baseline);
  ORRERY_ASSERT(frame.bodies.size() == state_->scene.slots);
  ORRERY_ASSERT(baseline.frame.bodies.empty() || frame.tick > baseline.frame.tick);
  coded.frame.bodies = frame.bodies;
  const FrameTask task = state_->start(baseline, frame.tick, frame.whole, coded);
  const auto last = std::min<std::size_t>(references.size(), kReferencesMax);
  coded.references.clear();
  for (const std::uint32_t slot : references.first(last)) {
    if (slot < frame.bodies.size()) coded.references.push_back(slot);
  }
  std::sort(coded.references.begin(), coded.references.end());
  coded.references.erase(std::unique(coded.references.begin(), coded.references.end()),
                         coded.references.end());
  RangeEncoder coder(out);
  const bool ok = code_changes(task, coder) && code_bodies(task, coder);
  ORRERY_ASSERT(ok);
  coder.finish();
  set_ages(baseline, state_->scratch, coded);
  set_checksums(baseline, state_->scratch, coded);
}

bool DeltaCodec::decode(const CodedFrame& baseline, Tick tick, bool whole, Bytes bytes,
                        CodedFrame& coded) {
  ORRERY_ASSERT(&coded != &baseline);
  ORRERY_ASSERT(baseline.frame.bodies.empty() || tick > baseline.frame.tick);
  RangeDecoder coder(bytes);
  coded.frame.bodies = baseline.frame.bodies;
  coded.frame.bodies.resize(state_->scene.slots);
  const FrameTask task = state_->start(baseline, tick, whole, coded);
  if (!code_changes(task, coder) || !code_bodies(task, coder) || !coder.at_end()) return false;
  set_ages(baseline, state_->scratch, coded);
  set_checksums(baseline, state_->scratch, coded);
  return true;
}

std::uint64_t checksum_of(const QuantisedFrame& frame) {
  std::uint64_t sum = 0;
  for (std::uint32_t slot = 0; slot < frame.bodies.size(); ++slot) {
    sum += hash_of(slot, frame.bodies[slot]);
  }
  return sum;
}

}  // namespace orrery::codec

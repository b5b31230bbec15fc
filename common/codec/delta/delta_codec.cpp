// Encodes and decodes a frame, and keeps its checksums.
#include "common/codec/delta/delta_codec.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/codec/delta/body_coder.h"
#include "common/codec/delta/change_coder.h"
#include "common/codec/delta/entropy/bit_coder.h"
#include "common/codec/delta/entropy/range_coder.h"
#include "common/codec/delta/frame_task.h"
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
  FrameTask start(const CodedFrame& baseline, Tick tick, CodedFrame& coded) {
    coded.frame.tick = tick;
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
  hash.add(
      word(body.orientation[0] << 16 | body.orientation[1], body.orientation[2] << 16 | body.size));
  hash.add(word(body.largest, body.active ? 1 : 0));
  return hash.value();
}

std::uint64_t hash_of(const BodyMotion& motion) {
  const auto bits = [](float x) { return std::uint64_t{std::bit_cast<std::uint32_t>(x)}; };
  const auto number = [](std::int32_t x) { return std::uint64_t{static_cast<std::uint32_t>(x)}; };
  WordHash hash;
  hash.add(std::uint64_t{motion.slot} << 32 | bits(motion.rotation.x));
  hash.add(bits(motion.rotation.y) << 32 | bits(motion.rotation.z));
  hash.add(number(motion.displacement[0]) << 32 | number(motion.displacement[1]));
  hash.add(number(motion.displacement[2]));
  for (std::size_t i = 0; i < kPositionPredictors; ++i) {
    hash.add(bits(motion.position_errors[i]) << 32 | bits(motion.rotation_errors[i]));
  }
  static_assert(kRotationPredictors == kPositionPredictors + 1);
  hash.add(bits(motion.rotation_errors.back()));
  return hash.value();
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
  std::uint64_t motions = 0;  // a sum, so that the processor hashes several motions at once
  for (const BodyMotion& motion : coded.motions) motions += hash_of(motion);
  WordHash hash;
  hash.add(bodies).add(motions).add(coded.frame.tick.value).add(std::uint64_t{coded.span});
  for (const std::uint32_t slot : coded.references) hash.add(std::uint64_t{slot});
  coded.checksum = hash.value();
}

void encode_task(const FrameTask& task, auto coder) {
  const bool ok = code_changes(task, coder) && code_bodies(task, coder);
  ORRERY_ASSERT(ok);
  coder.finish();
}

bool decode_task(const FrameTask& task, auto coder) {
  return code_changes(task, coder) && code_bodies(task, coder) && coder.at_end();
}

}  // namespace

void DeltaCodec::encode(const CodedFrame& baseline, const QuantisedFrame& frame,
                        std::span<const std::uint32_t> references, CodedFrame& coded,
                        std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(&coded != &baseline);
  ORRERY_ASSERT(frame.bodies.size() == state_->scene.slots);
  ORRERY_ASSERT(baseline.frame.bodies.empty() || frame.tick > baseline.frame.tick);
  coded.frame.bodies = frame.bodies;
  const FrameTask task = state_->start(baseline, frame.tick, coded);
  const auto last = std::min<std::size_t>(references.size(), kReferencesMax);
  coded.references.clear();
  for (const std::uint32_t slot : references.first(last)) {
    if (slot < frame.bodies.size()) coded.references.push_back(slot);
  }
  std::sort(coded.references.begin(), coded.references.end());
  coded.references.erase(std::unique(coded.references.begin(), coded.references.end()),
                         coded.references.end());
  if (task.level == DeltaLevel::cheap) {
    encode_task(task, BitWriter(out));
  } else {
    encode_task(task, RangeEncoder(out));
  }
  set_checksums(baseline, state_->scratch, coded);
}

bool DeltaCodec::decode(const CodedFrame& baseline, Tick tick, Bytes bytes, CodedFrame& coded) {
  ORRERY_ASSERT(&coded != &baseline);
  ORRERY_ASSERT(baseline.frame.bodies.empty() || tick > baseline.frame.tick);
  coded.frame.bodies = baseline.frame.bodies;
  coded.frame.bodies.resize(state_->scene.slots);
  const FrameTask task = state_->start(baseline, tick, coded);
  const bool ok = task.level == DeltaLevel::cheap ? decode_task(task, BitReader(bytes))
                                                  : decode_task(task, RangeDecoder(bytes));
  if (!ok) return false;
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

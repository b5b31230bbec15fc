// Codes recorded frames, and compares what is decoded.
#include "client/cli/codec_trial.h"

#include "client/cli/stopwatch.h"
#include "common/core/assert.h"

namespace orrery::cli {

CodecTrial::CodecTrial(const codec::DeltaScene& scene, codec::DeltaLevel level,
                       std::size_t distance, const codec::Weights& weights)
    : level_(level),
      weights_(weights),
      encoder_(scene, level, weights),
      decoder_(scene, level, weights),
      distance_(distance),
      sent_(distance + 1),
      received_(distance + 1) {
  ORRERY_ASSERT(distance >= 1);
}

void CodecTrial::code(const RecordedFrame& frame) {
  hold(static_cast<std::uint32_t>(frame.frame.bodies.size()));
  codec::CodedFrame& sent = sent_[count_ % sent_.size()];
  codec::CodedFrame& received = received_[count_ % sent_.size()];
  if (count_ < distance_) {
    sent.frame = received.frame = frame.frame;
  } else {
    measure(frame, (count_ - distance_) % sent_.size(), sent, received);
  }
  ++count_;
}

// Makes room for `slots` slots. It makes a new codec, which is allowed at any time: a codec keeps
// nothing from frame to frame.
void CodecTrial::hold(std::uint32_t slots) {
  codec::DeltaScene scene = encoder_.scene();
  if (scene.slots == slots) return;
  scene.slots = slots;
  encoder_ = codec::DeltaCodec(scene, level_, weights_);
  decoder_ = codec::DeltaCodec(scene, level_, weights_);
  for (std::vector<codec::CodedFrame>* const frames : {&sent_, &received_}) {
    for (codec::CodedFrame& kept : *frames) kept.frame.bodies.resize(slots);
  }
}

void CodecTrial::measure(const RecordedFrame& frame, std::size_t baseline, codec::CodedFrame& sent,
                         codec::CodedFrame& received) {
  bytes_.clear();
  now_ = frame.frame;
  const Stopwatch encoding;
  encoder_.encode(sent_[baseline], now_, frame.references, sent, bytes_);
  figures_.encode_seconds += encoding.cpu_seconds();
  const Stopwatch decoding;
  const bool decoded = decoder_.decode(received_[baseline], frame.frame.tick, bytes_, received);
  figures_.decode_seconds += decoding.cpu_seconds();
  const bool equal = decoded && received.frame.bodies == frame.frame.bodies;
  figures_.mismatches += equal ? 0 : 1;
  figures_.bytes += bytes_.size();
  ++figures_.frames;
}

}  // namespace orrery::cli

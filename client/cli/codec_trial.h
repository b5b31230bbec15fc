// Codes recorded frames as both sides of a connection do, and measures bytes, CPU time and faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "client/cli/frame_file.h"
#include "common/codec/delta/delta_codec.h"

namespace orrery::cli {

// The sums over all coded frames.
struct CodingFigures {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;       // of the coded frames, without headers of messages
  std::uint64_t mismatches = 0;  // frames that the decoder refused or changed
  double encode_seconds = 0;     // CPU time
  double decode_seconds = 0;     // CPU time

  // Returns a sum divided by the number of frames; 0 without frames.
  double mean(double sum) const { return frames == 0 ? 0 : sum / static_cast<double>(frames); }
  double bytes_per_frame() const { return mean(static_cast<double>(bytes)); }
  // Returns the rate at 60 frames a second.
  double kbit_per_second() const { return bytes_per_frame() * 8 * 60 / 1000; }
  double encode_microseconds() const { return mean(encode_seconds * 1e6); }
  double decode_microseconds() const { return mean(decode_seconds * 1e6); }
};

// An encoder and a decoder. Each keeps the newest frames that it coded, in a ring, as baselines.
class CodecTrial {
 public:
  // Each frame is coded against the one `distance` frames before. REQUIRES: distance >= 1.
  CodecTrial(const codec::DeltaScene& scene, codec::DeltaLevel level, std::size_t distance,
             const codec::Weights& weights = codec::kFittedWeights);

  // Codes the next frame. The first `distance` frames only fill the ring of both sides, and do not
  // count. REQUIRES: the frame has at least as many slots as the one before.
  void code(const RecordedFrame& frame);

  // Returns the sums over the frames so far.
  const CodingFigures& figures() const { return figures_; }

 private:
  void hold(std::uint32_t slots);
  void measure(const RecordedFrame& frame, std::size_t baseline, codec::CodedFrame& sent,
               codec::CodedFrame& received);

  codec::DeltaLevel level_;
  codec::Weights weights_;
  codec::DeltaCodec encoder_;
  codec::DeltaCodec decoder_;
  std::size_t distance_;
  std::vector<codec::CodedFrame> sent_;
  std::vector<codec::CodedFrame> received_;
  codec::QuantisedFrame now_;  // a copy of the frame: a server has just written it too
  std::vector<std::uint8_t> bytes_;
  std::size_t count_ = 0;
  CodingFigures figures_;
};

}  // namespace orrery::cli

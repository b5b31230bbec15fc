// What the parts of the frame coder share.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/delta/delta_codec.h"
#include "common/codec/delta/entropy/residual_coder.h"
#include "common/codec/delta/weights.h"
#include "common/math/mat3.h"
#include "common/math/vec3.h"

namespace orrery::codec {

// Most ticks of a prediction. Predictions over a longer time are worth nothing.
inline constexpr std::uint64_t kSpanMax = 1 << 16;

// A body that is in the baseline and in the frame, and that changed.
struct ChangedBody {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::uint32_t slot = 0;
  std::uint32_t place = 0;             // of its motion in the frame
  const BodyMotion* motion = nullptr;  // in the baseline; nullptr: it did not move there
  std::uint32_t reference = kNone;     // index of the nearest reference
  double distance = 0;                 // square of the distance to it; -1: it is the reference
};

// A body that somebody moves, and its motion from the baseline to the frame once it is coded.
struct Reference {
  std::uint32_t slot = 0;
  Vec3 from;      // position in the baseline, steps
  Vec3 to;        // position in the frame, steps
  Mat3 rotation;  // between them
  Vec3 turn;      // the same, as a turn
};

// Memory that the coder uses again for each frame.
struct FrameScratch {
  std::vector<std::uint32_t> arrivals;   // slots in which a body came or left, ascending
  std::vector<std::uint32_t> different;  // slots of kept bodies that changed, ascending
  std::vector<ChangedBody> changed;      // the same, in the order of coding
  std::vector<Reference> references;
};

// A frame to code. In an encoder, `coded` has the bodies of the frame. In a decoder, it has those
// of the baseline, with empty slots at the end if the baseline has none.
struct FrameTask {
  const DeltaScene& scene;
  const Weights& weights;
  const ResidualTables& tables;
  DeltaLevel level;
  const CodedFrame& baseline;
  CodedFrame& coded;
  FrameScratch& scratch;
};

// Returns the time from the baseline to the frame, divided by CodedFrame::span of the baseline; 0
// if that is 0.
inline double interval_ratio(const FrameTask& task) {
  const double now = task.coded.span, before = task.baseline.span;
  return before == 0 ? 0 : now / before;
}

// Returns how much gravity changes the displacement of a body from one of these intervals to the
// other, in steps.
inline Vec3 gravity_change(const FrameTask& task) {
  const double now = task.coded.span, before = task.baseline.span;
  return 0.5 * now * (now + before) * task.scene.gravity;
}

// Returns a vector of steps.
inline Vec3 vector_of(const std::array<std::int32_t, 3>& v) {
  return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}

// Returns the square of the length of a vector.
inline double square_of(const Vec3& v) { return dot(v, v); }

}  // namespace orrery::codec

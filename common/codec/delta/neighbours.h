// The bodies that were coded so far in a frame, as neighbours of the next body.
#pragma once

#include <cstddef>
#include <vector>

#include "common/codec/delta/weights.h"
#include "common/math/mat3.h"
#include "common/math/vec3.h"

namespace orrery::codec {

// How a coded body moved in two intervals. The first ends at the baseline of the frame. The second
// is from the baseline to the frame.
struct CodedMotion {
  Vec3 from;             // position in the baseline, steps
  Vec3 to;               // position in the frame, steps
  Mat3 rotation;         // between them
  Vec3 turn;             // the same, as a turn
  Vec3 before;           // position at the start of the first interval, steps
  Mat3 rotation_before;  // in the first interval
  Vec3 change;           // of its displacement from the first interval to the second, steps
  double miss = 0;       // how wrong the prediction of its position was, steps
};

// The weighted mean over the neighbours of a body.
struct NeighbourMean {
  double weight = 0;  // 0: there are none, and the rest is 0
  Vec3 displacement;  // of the body, if it moves as rigidly joined to its neighbours
  Vec3 turn;
  Vec3 change;          // of the displacements of its neighbours from one interval to the next
  double surprise = 0;  // square of the change of their motion
  double miss = 0;
};

// The list of coded bodies.
class Neighbours {
 public:
  // Forgets all bodies. REQUIRES: reach > 0.
  void clear(double reach);
  // Adds a body that was coded.
  void add(const CodedMotion& motion);
  // Returns the mean over the bodies within reach of a body that was at `before` and is at `at` in
  // the baseline. Bodies count more if they are near, and if the body moved with them before.
  NeighbourMean mean(const Vec3& before, const Vec3& at, const Weights& weights);

 private:
  double reach_ = 1;
  std::vector<double> x_, y_, z_;  // of `from`
  std::vector<double> distances_;  // scratch: squares of distances
  std::vector<CodedMotion> motions_;
};

}  // namespace orrery::codec

// The weighted mean of neighbours.
#include "common/codec/delta/neighbours.h"

#include <algorithm>

#include "common/core/assert.h"

namespace orrery::codec {
namespace {

// The share of the square of the reach beyond which a body counts too little to be worth its time.
constexpr double kReachUsed = 0.6;
static_assert(kReachUsed > 0 && kReachUsed <= 1);

inline double square(double x) { return x * x; }

// The weight of a neighbour after the two bodies slipped along each other. `near` is 1 at no
// distance, and 0 at the reach.
double weight_of(double near, double slip_square, const Weights& w) {
  const double tight = std::max(0.0, 1 - slip_square * w.per_slip_near);
  const double loose = std::max(0.0, 1 - slip_square * w.per_slip_far);
  return square(near * near * near) * (7 * tight * tight + loose * loose + 1e-6);
}

}  // namespace

void Neighbours::clear(double reach) {
  ORRERY_ASSERT(reach > 0);
  reach_ = reach;
  x_.clear();
  y_.clear();
  z_.clear();
  motions_.clear();
}

void Neighbours::add(const CodedMotion& motion) {
  x_.push_back(motion.from.x);
  y_.push_back(motion.from.y);
  z_.push_back(motion.from.z);
  motions_.push_back(motion);
}

NeighbourMean Neighbours::mean(const Vec3& before, const Vec3& at, const Weights& weights) {
  ORRERY_ASSERT(x_.size() == motions_.size());
  ORRERY_ASSERT(y_.size() == x_.size() && z_.size() == x_.size());
  NeighbourMean mean;
  const double reach_square = reach_ * reach_;
  const double per_reach = 1 / reach_square;
  const std::size_t count = x_.size();
  distances_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {  // without branches, so that it is vectorised
    distances_[i] = square(x_[i] - at.x) + square(y_[i] - at.y) + square(z_[i] - at.z);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double distance = distances_[i];
    if (distance >= kReachUsed * reach_square) continue;
    const CodedMotion& other = motions_[i];
    const Vec3 slip = at - (other.from + other.rotation_before * (before - other.before));
    const double weight = weight_of(1 - distance * per_reach, dot(slip, slip), weights);
    mean.weight += weight;
    mean.displacement += weight * (other.to + other.rotation * (at - other.from) - at);
    mean.turn += weight * other.turn;
    mean.change += weight * other.change;
    mean.surprise += weight * dot(other.change, other.change);
    mean.miss += weight * other.miss;
  }
  if (mean.weight <= 0) return {};
  const double scale = 1 / mean.weight;
  return {mean.weight,         scale * mean.displacement, scale * mean.turn,
          scale * mean.change, scale * mean.surprise,     scale * mean.miss};
}

}  // namespace orrery::codec

// Solves rows of joints together, with the response of whole trees to each impulse.
#include "common/physics/solve/row_responses.h"

#include <algorithm>
#include <cmath>

#include "common/core/limits.h"

namespace orrery::physics {
namespace {

using Rule = JointRows::Rule;

// The iterations end when no impulse changes the speed of its row by more than this share of the
// largest speed, or after kSweepsMax sweeps.
constexpr double kChangeMost = 1e-13;
constexpr int kSweepsMax = 200;

// The share of its error that a joint outside trees corrects in a substep if its island has no
// contacts. Islands with contacts correct less (JointRows), which does not push bodies into others.
constexpr double kFreeShare = 0.9;

// A row whose response is at most this share of that of free bodies depends on other rows. It gets
// no impulse.
constexpr double kResponseLeast = 1e-9;

}  // namespace

bool RowResponses::suit(std::span<const JointRows::Row> rows) {
  const auto counts = [](const JointRows::Row& row) {
    return row.rule == Rule::hold || row.rule == Rule::stiff || row.rule == Rule::drive;
  };
  return rows.size() <= kRowsMax &&
         (rows.size() <= kLimitsMax || std::any_of(rows.begin(), rows.end(), counts));
}

void RowResponses::find_active(std::span<const JointRows::Row> rows, const BodyRows& bodies,
                               std::span<double> numbers, const Pass& pass) {
  const auto& [h, relaxes, free] = pass;
  ORRERY_ASSERT(h > 0);
  ORRERY_ASSERT(rows.empty() || rows.back().impulse < numbers.size());
  constexpr double kMost = limits::kForceMax;
  active_.clear();
  active_.reserve(kRowsMax);
  matrix_.reserve(kRowsMax * kRowsMax);
  for (const JointRows::Row& row : rows) {
    if (row.mass == 0 || row.rule == Rule::spring) continue;
    if (relaxes && row.rule == Rule::stiff) continue;
    const double now = JointRows::speed(bodies, row);
    const double before = relaxes ? numbers[row.impulse] : 0;
    Active a{&row, 0, 0, -kMost - before, kMost - before, now, 0};
    switch (row.rule) {
      case Rule::hold:
        a.aim = relaxes ? 0 : (free ? kFreeShare / h : row.soft.rate) * row.error;
        break;
      case Rule::stiff:
        a.aim = row.soft.rate * row.error;
        a.soft = (1 - row.soft.mass) / (row.mass * row.soft.mass);
        break;
      case Rule::bound:
        a.aim = row.error > 0 ? row.error / h : relaxes ? 0 : row.soft.rate * row.error;
        a.least = -before;
        if (now + a.aim >= 0 && before == 0) continue;
        break;
      case Rule::drive:
        a.aim = -row.error;
        a.least = -row.limit - before;
        a.most = row.limit - before;
        break;
      case Rule::spring:
        break;
    }
    active_.push_back(a);
  }
}

void RowResponses::find_matrix(JointTrees& trees, const BodyRows& bodies) {
  const std::size_t n = active_.size();
  ORRERY_ASSERT(n > 0 && n <= kRowsMax);
  matrix_.assign(n * n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    const JointRows::Row& row = *active_[j].row;
    const double mass_a = bodies.motion[row.a].inverse_mass();
    const double mass_b = bodies.motion[row.b].inverse_mass();
    trees.respond(row.a, {-mass_a * row.n, -row.k_a}, row.b, {mass_b * row.n, row.k_b});
    for (std::size_t i = 0; i < n; ++i) {
      const JointRows::Row& other = *active_[i].row;
      const TreeMotion a = trees.response_of(other.a), b = trees.response_of(other.b);
      matrix_[i * n + j] = dot(other.n, b.v - a.v) + (dot(other.j_b, b.w) - dot(other.j_a, a.w));
    }
  }
}

void RowResponses::iterate() {
  const std::size_t n = active_.size();
  ORRERY_ASSERT(matrix_.size() == n * n);
  for (int sweep = 0; sweep < kSweepsMax; ++sweep) {
    double most = 0, change = 0;
    for (std::size_t i = 0; i < n; ++i) {
      Active& a = active_[i];
      const double own = matrix_[i * n + i];
      if (!(own * a.row->mass > kResponseLeast)) continue;
      const double wanted = a.impulse - (a.speed + a.aim + a.soft * a.impulse) / (own + a.soft);
      const double impulse = std::clamp(wanted, a.least, a.most);
      const double step = impulse - a.impulse;
      a.impulse = impulse;
      for (std::size_t k = 0; k < n; ++k) active_[k].speed += matrix_[k * n + i] * step;
      change = std::max(change, std::abs(own * step));
      most = std::max(most, std::abs(a.aim) + std::abs(own * impulse));
    }
    if (change <= kChangeMost * most) return;
  }
}

void RowResponses::solve(std::span<const JointRows::Row> rows, JointTrees& trees,
                         const BodyRows& bodies, std::span<double> numbers, const Pass& pass) {
  ORRERY_ASSERT(pass.h > 0 && rows.size() <= kRowsMax);
  if (!pass.relaxes) {
    for (const JointRows::Row& row : rows) numbers[row.impulse] = 0;
  }
  find_active(rows, bodies, numbers, pass);
  if (active_.empty()) return;
  find_matrix(trees, bodies);
  iterate();
  for (const Active& a : active_) {
    numbers[a.row->impulse] += a.impulse;
    JointRows::push(bodies, *a.row, a.impulse);
  }
}

}  // namespace orrery::physics

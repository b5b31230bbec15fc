// Keeps the state of joints, and runs their passes.
#include "common/physics/solve/joints.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "common/core/hash.h"
#include "common/core/limits.h"

namespace orrery::physics {

void JointSet::set(std::span<const Joint> joints) {
  joints_.assign(joints.begin(), joints.end());
  broken_.assign(joints.size(), 0);
  first_row_.clear();
  std::uint32_t rows = 0;
  for (const Joint& joint : joints_) {
    ORRERY_ASSERT(joint.a != joint.b);
    ORRERY_ASSERT(joint.a_moves || joint.b_moves);
    ORRERY_ASSERT(joint.motor_max >= 0 && joint.frequency >= 0);
    first_row_.push_back(rows);
    rows += hold_rows(joint) + coordinate_rows(joint);
  }
  first_row_.push_back(rows);
  impulses_.assign(rows, 0);
  find_groups();
}

// Finds everything that depends on which joints are broken.
void JointSet::find_groups() {
  ORRERY_ASSERT(first_row_.size() == joints_.size() + 1);
  set_separate();
  trees_.set(joints_, broken_);
  jointed_.clear();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (!broken_[i]) jointed_.insert(jointed_.end(), {joints_[i].a, joints_[i].b});
  }
  std::sort(jointed_.begin(), jointed_.end());
  jointed_.erase(std::unique(jointed_.begin(), jointed_.end()), jointed_.end());
  changes_.assign(jointed_.size(), {});
}

void JointSet::set_separate() {
  ORRERY_ASSERT(broken_.size() == joints_.size());
  separate_.clear();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    if (joint.collides || broken_[i]) continue;
    separate_.push_back({std::min(joint.a, joint.b), std::max(joint.a, joint.b)});
  }
  std::sort(separate_.begin(), separate_.end());
}

void JointSet::break_joints_of(std::uint32_t slot) {
  ORRERY_ASSERT(first_row_.size() == joints_.size() + 1 || joints_.empty());
  bool any = false;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (joints_[i].a != slot && joints_[i].b != slot) continue;
    any = true;
    broken_[i] = 1;
    std::fill(impulses_.begin() + first_row_[i], impulses_.begin() + first_row_[i + 1], 0.0);
  }
  if (any) find_groups();
}

// A broken joint must have zero impulses, so that one state has only one encoding.
bool JointSet::fits(std::span<const double> impulses, std::span<const std::uint8_t> broken) const {
  if (impulses.size() != impulses_.size() || broken.size() != broken_.size()) return false;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (broken[i] > 1) return false;
    const double most = broken[i] ? 0 : limits::kForceMax;
    for (std::uint32_t row = first_row_[i]; row < first_row_[i + 1]; ++row) {
      if (!(std::abs(impulses[row]) <= most)) return false;
      if (broken[i] && std::signbit(impulses[row])) return false;
    }
  }
  return true;
}

void JointSet::restore(std::span<const double> impulses, std::span<const std::uint8_t> broken) {
  ORRERY_ASSERT(fits(impulses, broken));
  std::copy(impulses.begin(), impulses.end(), impulses_.begin());
  if (std::equal(broken.begin(), broken.end(), broken_.begin())) return;
  std::copy(broken.begin(), broken.end(), broken_.begin());
  find_groups();
}

std::uint64_t JointSet::hash() const {
  ORRERY_ASSERT(broken_.size() == joints_.size());
  std::uint64_t h = joints_.size();
  for (const double impulse : impulses_) h = mix64(h + std::bit_cast<std::uint64_t>(impulse));
  for (const std::uint8_t broken : broken_) h = mix64(h + broken);
  return h;
}

// Computes the rows of all unbroken joints at the present poses: those of trees in trees_, which
// also factors their matrices, all others in rows_.
void JointSet::prepare(const Bodies& bodies, const BodyRows& rows, double h) {
  ORRERY_ASSERT(joints_.empty() || first_row_.back() == impulses_.size());
  rows_.start(h);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    const bool in_tree = trees_.contains(i);
    if (broken_[i] || (in_tree && coordinate_rows(joint) == 0)) continue;
    rows_.add(joint, !in_tree, first_row_[i], bodies, rows);
  }
  trees_.factor(bodies);
}

// Bounds each velocity component of the bodies of joints to limits::kSpeedMax, and their spins to a
// quarter of a turn in a substep.
// The directions of rows are fixed during a substep. A faster spin leaves errors in a new direction
// each time, and correcting them makes joints shake.
void JointSet::bound_speeds(const BodyRows& rows, double h) const {
  constexpr double kTurnMax = std::numbers::pi / 2;
  ORRERY_ASSERT(h > 0);
  const auto bound = [&](std::uint32_t slot) {
    SolverBody& row = rows.motion[slot];
    if (row.inverse_mass() == 0) return;
    for (int i = 0; i < 3; ++i) {
      row.at[i] = std::clamp(row.at[i], -limits::kSpeedMax, limits::kSpeedMax);
    }
    const double turn = h * length({row.at[3], row.at[4], row.at[5]});
    if (turn <= kTurnMax) return;
    for (int i = 3; i < 6; ++i) row.at[i] *= kTurnMax / turn;
  };
  for (const std::uint32_t slot : jointed_) bound(slot);
}

// Removes the changes that joints made in the previous substep. The solver's warm start repeats the
// changes that all impulses made (BodyRows::pushed). That is right for contacts, but the rows of
// joints turn with their bodies.
void JointSet::take_back(const BodyRows& rows) {
  ORRERY_ASSERT(changes_.size() == jointed_.size());
  for (std::size_t i = 0; i < jointed_.size(); ++i) {
    SolverBody& body = rows.motion[jointed_[i]];
    if (body.inverse_mass() == 0) continue;
    for (int k = 0; k < 6; ++k) body.at[k] -= changes_[i].at[k];
  }
  std::fill(changes_.begin(), changes_.end(), Motion{});
}

// Calls change(), and adds the changes of velocity that it makes to changes_.
template <class Change>
void JointSet::record(const BodyRows& rows, Change change) {
  ORRERY_ASSERT(changes_.size() == jointed_.size());
  const auto add_motion = [&](double sign) {
    for (std::size_t i = 0; i < jointed_.size(); ++i) {
      const SolverBody& body = rows.motion[jointed_[i]];
      for (int k = 0; k < 6; ++k) changes_[i].at[k] += sign * body.at[k];
    }
  };
  add_motion(-1);
  change();
  add_motion(1);
}

void JointSet::begin_tick(std::span<const std::uint32_t> contacts) {
  ORRERY_ASSERT(jointed_.empty() || jointed_.back() < contacts.size());
  trees_.find_free(contacts);
  std::fill(changes_.begin(), changes_.end(), Motion{});
  started_ = false;
}

void JointSet::solve(const Bodies& bodies, const BodyRows& rows, const Substep& step) {
  ORRERY_ASSERT(step.h > 0);
  if (!started_) prepare(bodies, rows, step.h);
  started_ = true;
  take_back(rows);
  record(rows, [&] {
    rows_.apply(rows, impulses_);
    rows_.solve(rows, impulses_);
    trees_.meet_positions(rows, step);
    bound_speeds(rows, step.h);
  });
}

void JointSet::relax(const Bodies& bodies, const BodyRows& rows, const Substep& step) {
  ORRERY_ASSERT(started_ && step.h > 0);
  prepare(bodies, rows, step.h);
  record(rows, [&] {
    rows_.relax(rows, impulses_);
    trees_.project_velocities(rows, step);
    bound_speeds(rows, step.h);
  });
}

}  // namespace orrery::physics

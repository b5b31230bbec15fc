// Runs the passes of a group of joints.
#include "common/physics/joints/joint_group.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "common/core/limits.h"
#include "common/physics/body/islands.h"

namespace orrery::physics {
namespace {

// Returns true if a row acts in an impact: a joint outside trees, or a limit that is reached.
// Motors and springs do not act: their forces are finite. Sets the error of a limit that bounds
// changes to 0.
bool takes_part(JointRows::Row& row, const BodyRows& rows, SolverBody* before, double h) {
  ORRERY_ASSERT(h > 0);
  // A limit is reached if its bodies rest there: less than the first share of a change would lead
  // to it in a substep, and they move less than the second share of the change.
  constexpr double kReached = 0.05, kRests = 1e-6;
  if (row.rule == JointRows::Rule::hold) return true;
  if (row.rule != JointRows::Rule::bound) return false;
  const double speed = JointRows::speed(rows, row);
  if (!before) return speed < -JointRows::approach(row.error, 0, h, true);
  BodyRows without = rows;
  without.motion = before;
  const double last = JointRows::speed(without, row), room = row.error;
  row.error = 0;
  return speed < 0 && room <= -kReached * h * speed && std::abs(last) <= -kRests * speed;
}

}  // namespace

void JointGroup::add(const Joint& joint, std::uint32_t index, std::uint32_t first) {
  ORRERY_ASSERT(slots_.empty());
  joints_.push_back(joint);
  indices_.push_back(index);
  first_.push_back(first);
}

void JointGroup::change(std::uint32_t index, const JointSettings& settings) {
  const auto at = std::find(indices_.begin(), indices_.end(), index);
  if (at == indices_.end()) return;
  Joint& joint = joints_[static_cast<std::size_t>(at - indices_.begin())];
  ORRERY_ASSERT(coordinate_rows(joint) == coordinate_rows(settings));
  static_cast<JointSettings&>(joint) = settings;
  sum_frequencies();
}

// Sorts the joints by island: joints that share a body that moves are in one island.
void JointGroup::sort_by_island() {
  ORRERY_ASSERT(indices_.size() == joints_.size() && first_.size() == joints_.size());
  const SlotNumbers numbers(joints_);
  Islands islands;
  islands.reset(numbers.size());
  for (const Joint& joint : joints_) {
    if (joint.a_moves && joint.b_moves) islands.join(numbers.of(joint.a), numbers.of(joint.b));
  }
  std::vector<std::uint32_t> island(joints_.size()), order(joints_.size());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    island[i] = islands.find(numbers.of(joints_[i].a_moves ? joints_[i].a : joints_[i].b));
  }
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return island[a] < island[b]; });
  const auto sorted = [&](auto list) {
    auto result = list;
    for (std::size_t i = 0; i < order.size(); ++i) result[i] = list[order[i]];
    return result;
  };
  joints_ = sorted(joints_);
  indices_ = sorted(indices_);
  first_ = sorted(first_);
  islands_ = sorted(island);
}

void JointGroup::arrange() {
  sort_by_island();
  trees_.set(joints_);
  if (std::any_of(joints_.begin(), joints_.end(), can_break)) {
    loads_.assign(joints_.size(), {});
    trees_.track(loads_.data());
  }
  for (const Joint& joint : joints_) slots_.insert(slots_.end(), {joint.a, joint.b});
  std::sort(slots_.begin(), slots_.end());
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  changes_.assign(slots_.size(), {});
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (i == 0 || islands_[i] != islands_[i - 1]) island_.loops.push_back(0);
    const bool out = hold_rows(joints_[i]) > 0 && !trees_.contains(i);
    if (out || trees_.closes(i)) island_.loops.back() = 1;
  }
  sum_frequencies();
}

// Computes frequencies_, one number for each joint: the sum of the frequencies of all springs at
// its body a, plus the same sum at its body b. The sum at a body that does not move counts as 0.
void JointGroup::sum_frequencies() {
  std::vector<double> sums(slots_.size(), 0.0);  // of each element of slots_
  const auto sum_of = [&](std::uint32_t slot) -> double& {
    return sums[static_cast<std::size_t>(std::lower_bound(slots_.begin(), slots_.end(), slot) -
                                         slots_.begin())];
  };
  for (const Joint& joint : joints_) {
    if (joint.a_moves) sum_of(joint.a) += joint.frequency;
    if (joint.b_moves) sum_of(joint.b) += joint.frequency;
  }
  frequencies_.clear();
  for (const Joint& joint : joints_) {
    frequencies_.push_back((joint.a_moves ? sum_of(joint.a) : 0) +
                           (joint.b_moves ? sum_of(joint.b) : 0));
  }
}

// Computes the rows of the joints at the present poses. trees_ gets the rows that hold the bodies
// of trees together, and factors their matrices. rows_ gets all other rows.
void JointGroup::prepare(const Bodies& bodies, const BodyRows& rows, std::span<double> numbers,
                         double h) {
  ORRERY_ASSERT(h > 0);
  add_rows(bodies, rows, numbers, h);
  trees_.factor(bodies);
}

// Computes the rows of rows_.
void JointGroup::add_rows(const Bodies& bodies, const BodyRows& rows, std::span<double> numbers,
                          double h) {
  ORRERY_ASSERT(first_.size() == joints_.size());
  rows_.start(h, trees_.any_added() ? &trees_ : nullptr);
  island_.rows.clear();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (i == 0 || islands_[i] != islands_[i - 1]) island_.rows.push_back(rows_.rows().size());
    const bool in_tree = trees_.contains(i);
    if (in_tree && coordinate_rows(joints_[i]) == 0) continue;
    rows_.add(joints_[i], !in_tree, first_[i], frequencies_[i], bodies, rows, numbers,
              loads_.empty() ? nullptr : &loads_[i]);
  }
  island_.rows.push_back(rows_.rows().size());
}

// Bounds each velocity component of the bodies of joints to limits::kSpeedMax, and their spins to a
// quarter of a turn in a substep. The directions of rows are fixed during a substep. With a faster
// spin, each substep would leave errors in other directions than the substep before, and their
// correction would make joints shake.
void JointGroup::bound_speeds(const BodyRows& rows, double h) const {
  constexpr double kQuarterTurn = std::numbers::pi / 2;
  ORRERY_ASSERT(h > 0);
  const auto bound = [&](std::uint32_t slot) {
    SolverBody& row = rows.motion[slot];
    if (row.inverse_mass() == 0) return;
    for (int i = 0; i < 3; ++i) {
      row.at[i] = std::clamp(row.at[i], -limits::kSpeedMax, limits::kSpeedMax);
    }
    const double turn = h * length({row.at[3], row.at[4], row.at[5]});
    if (turn <= kQuarterTurn) return;
    for (int i = 3; i < 6; ++i) row.at[i] *= kQuarterTurn / turn;
  };
  for (const std::uint32_t slot : slots_) bound(slot);
}

// The warm start repeats the changes in BodyRows::pushed. That is right for contacts: their
// impulses are turned with their bodies. The rows of joints are computed again, so joints have a
// warm start of their own.
void JointGroup::take_out(const BodyRows& rows) {
  ORRERY_ASSERT(changes_.size() == slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    SolverBody& pushed = rows.pushed[slots_[i]];
    for (int k = 0; k < 6; ++k) pushed.at[k] -= changes_[i].at[k];
  }
  std::fill(changes_.begin(), changes_.end(), Motion{});
}

// Calls change(), and adds to changes_ the changes of velocity that change() makes.
template <class Change>
void JointGroup::record(const BodyRows& rows, Change change) {
  ORRERY_ASSERT(changes_.size() == slots_.size());
  const auto add_motion = [&](double sign) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const SolverBody& body = rows.motion[slots_[i]];
      for (int k = 0; k < 6; ++k) changes_[i].at[k] += sign * body.at[k];
    }
  };
  add_motion(-1);
  change();
  add_motion(1);
}

std::span<const JointRows::Row> JointGroup::rows_of(std::size_t island) const {
  ORRERY_ASSERT(island + 1 < island_.rows.size());
  const std::size_t first = island_.rows[island];
  return rows_.rows().subspan(first, island_.rows[island + 1] - first);
}

// Solves the rows outside trees, island by island.
void JointGroup::solve_rows(const BodyRows& rows, std::span<double> numbers, double h) {
  ORRERY_ASSERT(h > 0 && island_.rows.size() == island_.free.size() + 1);
  for (std::size_t i = 0; i + 1 < island_.rows.size(); ++i) {
    const std::span<const JointRows::Row> some = rows_of(i);
    if (suits(i)) {
      responses_.solve(some, trees_, rows, numbers, {h, relaxes_, island_.free[i] != 0});
    } else if (relaxes_) {
      rows_.relax(rows, some, numbers);
    } else {
      rows_.apply(rows, some, numbers);
      rows_.solve(rows, some, numbers);
    }
  }
}

bool JointGroup::suits(std::size_t island) const {
  ORRERY_ASSERT(island < island_.loops.size());
  return RowResponses::suit(rows_of(island), island_.loops[island] != 0);
}

// Returns true if the rows of an island with contacts are solved together.
bool JointGroup::repeats_rows(std::size_t island) const {
  ORRERY_ASSERT(island < island_.free.size());
  const std::span<const JointRows::Row> some = rows_of(island);
  return island_.free[island] == 0 && !some.empty() && suits(island);
}

void JointGroup::begin_tick(std::span<const std::uint32_t> contacts,
                            std::span<std::uint8_t> flags) {
  ORRERY_ASSERT(slots_.empty() || slots_.back() < contacts.size());
  trees_.find_free(contacts, indices_, flags);
  island_.free.clear();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (i == 0 || islands_[i] != islands_[i - 1]) island_.free.push_back(1);
    const Joint& joint = joints_[i];
    if ((joint.a_moves && contacts[joint.a] > 0) || (joint.b_moves && contacts[joint.b] > 0))
      island_.free.back() = 0;
  }
  std::fill(changes_.begin(), changes_.end(), Motion{});
  std::fill(loads_.begin(), loads_.end(), JointLoad{});
  started_ = false;
}

void JointGroup::find_overloaded(double tick, std::vector<std::uint32_t>& overloaded) const {
  ORRERY_ASSERT(tick > 0);
  const auto beyond = [&](const Vec3& impulse, double most) {
    return most > 0 && length(impulse) > most * tick;
  };
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const Joint& joint = joints_[i];
    const bool breaks = beyond(loads_[i].impulse, joint.break_force) ||
                        beyond(loads_[i].angular_impulse, joint.break_torque);
    if (breaks) overloaded.push_back(indices_[i]);
  }
}

void JointGroup::project(const Bodies& bodies, const BodyRows& rows, std::span<double> numbers,
                         std::span<const std::uint32_t> slots, SolverBody* before, double h) {
  const auto has = [&](std::uint32_t slot) {
    return std::binary_search(slots.begin(), slots.end(), slot);
  };
  ORRERY_ASSERT(h > 0 && std::is_sorted(slots.begin(), slots.end()));
  if (!started_) prepare(bodies, rows, numbers, h);
  started_ = true;
  trees_.project_some(rows, slots);
  hit_.rows.clear();
  for (std::size_t i = 0; i + 1 < island_.rows.size(); ++i) {
    const std::span<const JointRows::Row> some = rows_of(i);
    if (some.empty() || !has(some[0].a) || !has(some[0].b)) continue;
    for (JointRows::Row row : some) {
      if (!takes_part(row, rows, before, h)) continue;
      row.impulse = static_cast<std::uint32_t>(hit_.rows.size());
      row.load = nullptr;
      hit_.rows.push_back(row);
    }
  }
  if (hit_.rows.empty() || hit_.rows.size() > RowResponses::kRowsMax) return;
  hit_.impulses.assign(hit_.rows.size(), 0);
  responses_.solve(hit_.rows, trees_, rows, hit_.impulses, {h, true, false, true});
  trees_.project_some(rows, slots);
}

void JointGroup::solve(const Bodies& bodies, const BodyRows& rows, std::span<double> numbers,
                       const Substep& step) {
  ORRERY_ASSERT(step.h > 0);
  if (!started_) prepare(bodies, rows, numbers, step.h);
  started_ = true;
  relaxes_ = false;
  record(rows, [&] {
    rows_.kick_springs(rows, rows_.rows(), numbers);
    trees_.begin_driven(rows, step.h);
    if (trees_.any_added()) add_rows(bodies, rows, numbers, step.h);
    solve_rows(rows, numbers, step.h);
    trees_.meet_positions(rows, step);
    bound_speeds(rows, step.h);
  });
}

void JointGroup::relax(const Bodies& bodies, const BodyRows& rows, std::span<double> numbers,
                       const Substep& step) {
  ORRERY_ASSERT(started_ && step.h > 0);
  prepare(bodies, rows, numbers, step.h);
  relaxes_ = true;
  record(rows, [&] {
    rows_.damp_springs(rows, rows_.rows());
    trees_.project_driven(rows);
    solve_rows(rows, numbers, step.h);
    trees_.project_velocities(rows, step);
    bound_speeds(rows, step.h);
  });
}

// Rows that are solved one by one wait for the next pass: they are limits of dolls, or too many.
void JointGroup::repeat(const BodyRows& rows, std::span<double> numbers, const Substep& step) {
  ORRERY_ASSERT(started_ && step.h > 0);
  if (std::find(island_.free.begin(), island_.free.end(), 0) == island_.free.end()) return;
  record(rows, [&] {
    bool projected = false;
    for (std::size_t i = 0; i < island_.free.size(); ++i) {
      if (!repeats_rows(i)) continue;
      if (!projected) trees_.project_driven(rows);
      projected = true;
      responses_.solve(rows_of(i), trees_, rows, numbers, {step.h, relaxes_, false, true});
    }
    trees_.repeat(rows, step, relaxes_);
    bound_speeds(rows, step.h);
  });
}

}  // namespace orrery::physics

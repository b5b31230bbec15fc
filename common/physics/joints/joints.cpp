// Keeps the state of joints, and runs their passes.
#include "common/physics/joints/joints.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/core/hash.h"
#include "common/core/limits.h"
#include "common/physics/body/islands.h"
#include "common/physics/joints/joint_group.h"

namespace orrery::physics {
namespace {

// A new group begins when the present group has at least kJointsLeast joints, and its number of
// islands is a multiple of kIslandsMultiple. Equal trees of a group then fill whole batches
// (tree_passes.h), and handing a group to a thread costs less than its work.
constexpr std::uint32_t kJointsLeast = 64;
constexpr std::uint32_t kIslandsMultiple = kTreeLanes;

// Returns the group of each joint: from 0, without gaps. A broken joint has JointIslands::kNone.
// Joints are in one island, and hence in one group, if they share a body that moves.
std::vector<std::uint32_t> group_joints(std::span<const Joint> joints,
                                        std::span<const std::uint8_t> flags) {
  ORRERY_ASSERT(flags.size() == joints.size());
  const auto broken = [&](std::size_t joint) { return flags[joint] == kJointBroken; };
  const SlotNumbers numbers(joints);
  Islands islands;
  islands.reset(numbers.size());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (!broken(i) && joints[i].a_moves && joints[i].b_moves)
      islands.join(numbers.of(joints[i].a), numbers.of(joints[i].b));
  }
  const auto island_of = [&](const Joint& joint) {
    return islands.find(numbers.of(joint.a_moves ? joint.a : joint.b));
  };
  std::vector<std::uint32_t> sizes(numbers.size());  // joints of each island
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (!broken(i)) ++sizes[island_of(joints[i])];
  }
  constexpr std::uint32_t kNone = JointIslands::kNone;
  std::vector<std::uint32_t> group_of_island(numbers.size(), kNone), group_of(joints.size(), kNone);
  // The present group, its number of islands, and its number of joints.
  std::uint32_t group = 0, in_group = 0, members = 0;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (broken(i)) continue;
    const std::uint32_t island = island_of(joints[i]);
    if (group_of_island[island] == kNone) {
      if (members >= kJointsLeast && in_group % kIslandsMultiple == 0) {
        ++group;
        in_group = members = 0;
      }
      group_of_island[island] = group;
      ++in_group;
      members += sizes[island];
    }
    group_of[i] = group_of_island[island];
  }
  return group_of;
}

// Returns the index of the first number of each joint, and then the number of all numbers.
std::vector<std::uint32_t> places_of_numbers(std::span<const Joint> joints) {
  std::vector<std::uint32_t> first;
  std::uint32_t numbers = 0;
  for (const Joint& joint : joints) {
    ORRERY_ASSERT(joint.a != joint.b);
    ORRERY_ASSERT(joint.a_moves || joint.b_moves);
    first.push_back(numbers);
    numbers += state_numbers(joint);
  }
  first.push_back(numbers);
  return first;
}

}  // namespace

// A broken joint must have zeros, so that one state has only one encoding.
bool can_be_state(std::span<const Joint> joints, std::span<const double> numbers,
                  std::span<const std::uint8_t> flags) {
  if (flags.size() != joints.size()) return false;
  std::size_t next = 0;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (flags[i] != 0 && flags[i] != kJointBroken && flags[i] != kJointFree) return false;
    const bool is_broken = flags[i] == kJointBroken;
    const double most = is_broken ? 0 : limits::kForceMax;
    const std::size_t end = next + state_numbers(joints[i]);
    if (end > numbers.size()) return false;
    for (; next < end; ++next) {
      if (!(std::abs(numbers[next]) <= most)) return false;
      if (is_broken && std::signbit(numbers[next])) return false;
    }
  }
  return next == numbers.size();
}

JointSet::JointSet() = default;
JointSet::~JointSet() = default;
JointSet::JointSet(JointSet&&) noexcept = default;
JointSet& JointSet::operator=(JointSet&&) noexcept = default;

void JointSet::set(std::span<const Joint> joints) {
  joints_.assign(joints.begin(), joints.end());
  flags_.assign(joints.size(), kJointFree);
  first_ = places_of_numbers(joints_);
  numbers_.assign(first_.back(), 0);
  set_separate();
  grouped_ = false;
}

void JointSet::change(std::size_t joint, const JointSettings& settings) {
  ORRERY_ASSERT(joint < joints_.size() && settings.kind == joints_[joint].kind);
  ORRERY_ASSERT(settings.motor_max >= 0 && settings.frequency >= 0);
  Joint& changed = joints_[joint];
  const JointSettings before = changed;
  static_cast<JointSettings&>(changed) = settings;
  const bool rests_alike = hold_rows(before) == 0 || before.rest == settings.rest;
  const bool alike = rests_alike && hold_rows(before) == hold_rows(settings) &&
                     coordinate_rows(before) == coordinate_rows(settings) &&
                     keeps_angle(before) == keeps_angle(settings) &&
                     (before.frequency > 0) == (settings.frequency > 0);
  if (alike) {
    if (!grouped_) return;  // the next groups get the settings
    for (JointGroup& group : groups_) group.change(static_cast<std::uint32_t>(joint), settings);
    return;
  }
  const auto at = numbers_.begin() + first_[joint];
  const double angle = keeps_angle(before) ? numbers_[first_[joint + 1] - 1] : 0;
  numbers_.erase(at, at + state_numbers(before));
  numbers_.insert(numbers_.begin() + first_[joint], state_numbers(settings), 0.0);
  first_ = places_of_numbers(joints_);
  if (keeps_angle(settings)) numbers_[first_[joint + 1] - 1] = angle;
  grouped_ = false;
}

// Finds the groups of the joints that are not broken.
void JointSet::find_groups() {
  ORRERY_ASSERT(first_.size() == joints_.size() + 1 || joints_.empty());
  const std::vector<std::uint32_t> group_of = group_joints(joints_, flags_);
  groups_.clear();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (broken(i)) continue;
    if (group_of[i] >= groups_.size()) groups_.resize(group_of[i] + 1);
    groups_[group_of[i]].add(joints_[i], static_cast<std::uint32_t>(i), first_[i]);
  }
  for (JointGroup& group : groups_) group.arrange();
  islands_.set(joints_, group_of);
  grouped_ = true;
}

void JointSet::set_separate() {
  ORRERY_ASSERT(flags_.size() == joints_.size());
  separate_.clear();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    if (joint.collides || broken(i)) continue;
    separate_.push_back({std::min(joint.a, joint.b), std::max(joint.a, joint.b)});
  }
  std::sort(separate_.begin(), separate_.end());
}

void JointSet::break_joint(std::size_t joint) {
  ORRERY_ASSERT(first_.size() == joints_.size() + 1 && !broken(joint));
  flags_[joint] = kJointBroken;
  std::fill(numbers_.begin() + first_[joint], numbers_.begin() + first_[joint + 1], 0.0);
  grouped_ = false;
}

void JointSet::break_joints_of(std::uint32_t slot) {
  bool any = false;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (broken(i) || (joints_[i].a != slot && joints_[i].b != slot)) continue;
    any = true;
    break_joint(i);
  }
  if (!any) return;
  std::erase_if(separate_, [slot](const Pair& pair) { return pair.a == slot || pair.b == slot; });
}

std::vector<std::uint32_t> JointSet::break_overloaded(double tick) {
  ORRERY_ASSERT(grouped_ && tick > 0);
  std::vector<std::uint32_t> overloaded;
  for (const JointGroup& group : groups_) group.find_overloaded(tick, overloaded);
  if (overloaded.empty()) return overloaded;
  std::sort(overloaded.begin(), overloaded.end());
  for (const std::uint32_t joint : overloaded) break_joint(joint);
  set_separate();
  return overloaded;
}

void JointSet::restore(std::span<const double> numbers, std::span<const std::uint8_t> flags) {
  ORRERY_ASSERT(can_be_state(joints_, numbers, flags));
  std::copy(numbers.begin(), numbers.end(), numbers_.begin());
  const auto breaks_alike = [](std::uint8_t a, std::uint8_t b) {
    return (a == kJointBroken) == (b == kJointBroken);
  };
  const bool alike = std::equal(flags.begin(), flags.end(), flags_.begin(), breaks_alike);
  std::copy(flags.begin(), flags.end(), flags_.begin());
  if (alike) return;
  set_separate();
  grouped_ = false;
}

std::uint64_t JointSet::hash() const {
  ORRERY_ASSERT(flags_.size() == joints_.size());
  std::uint64_t h = joints_.size();
  for (const double number : numbers_) h = mix64(h + std::bit_cast<std::uint64_t>(number));
  for (const std::uint8_t flag : flags_) h = mix64(h + flag);
  return h;
}

void JointSet::begin_tick(std::span<const std::uint32_t> contacts) {
  if (!grouped_) find_groups();
  for (JointGroup& group : groups_) group.begin_tick(contacts, flags_);
}

// Calls run(group) for all groups. Threads share the groups.
template <class Run>
void JointSet::for_groups(Executor& executor, Run run) {
  ORRERY_ASSERT(grouped_);
  parallel_ranges(executor, static_cast<std::uint32_t>(groups_.size()), 1,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (std::uint32_t i = begin; i < end; ++i) run(groups_[i]);
                  });
}

void JointSet::solve(const Bodies& bodies, const BodyRows& rows, const Substep& step,
                     Executor& executor) {
  for_groups(executor, [&](JointGroup& group) { group.solve(bodies, rows, numbers_, step); });
}

void JointSet::relax(const Bodies& bodies, const BodyRows& rows, const Substep& step,
                     Executor& executor) {
  for_groups(executor, [&](JointGroup& group) { group.relax(bodies, rows, numbers_, step); });
}

// Runs JointGroup::project() for the groups of the bodies that move.
void JointSet::project(const Bodies& bodies, const BodyRows& rows,
                       std::span<const std::uint32_t> slots, SolverBody* before,
                       const Substep& step) {
  ORRERY_ASSERT(grouped_ && step.h > 0);
  hit_.clear();
  for (const std::uint32_t slot : slots) {
    const std::uint32_t group = islands_.group(slot);
    if (group != JointIslands::kNone) hit_.push_back(group);
  }
  std::sort(hit_.begin(), hit_.end());
  hit_.erase(std::unique(hit_.begin(), hit_.end()), hit_.end());
  for (const std::uint32_t group : hit_) {
    groups_[group].project(bodies, rows, numbers_, slots, before, step.h);
  }
}

void JointSet::repeat(const BodyRows& rows, const Substep& step, Executor& executor) {
  for_groups(executor, [&](JointGroup& group) { group.repeat(rows, numbers_, step); });
}

void JointSet::take_out(const BodyRows& rows, Executor& executor) {
  for_groups(executor, [&](JointGroup& group) { group.take_out(rows); });
}

}  // namespace orrery::physics

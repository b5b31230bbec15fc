// Arranges trees of joints in batches, and runs the passes over them.
#include "common/physics/joints/joint_trees.h"

#include <algorithm>

#include "common/core/limits.h"

namespace orrery::physics {
namespace {

// Copies the constants of a joint to the numbers of a link. Number i is at numbers[i * lanes].
void write_link(const Joint& joint, double* numbers, std::uint32_t lanes) {
  static_assert(TreeLinkNumbers::at_b == TreeLinkNumbers::at_a + 7);
  static_assert(TreeLinkNumbers::rest == TreeLinkNumbers::at_b + 7);
  ORRERY_ASSERT(lanes == 1 || lanes == kTreeLanes);
  const auto write = [&](std::uint32_t first, const Pose& at) {
    const double values[7] = {at.position.x,    at.position.y,    at.position.z,   at.orientation.x,
                              at.orientation.y, at.orientation.z, at.orientation.w};
    for (std::uint32_t i = 0; i < 7; ++i) numbers[(first + i) * lanes] = values[i];
  };
  write(TreeLinkNumbers::at_a, joint.at_a);
  write(TreeLinkNumbers::at_b, joint.at_b);
  numbers[TreeLinkNumbers::rest * lanes] = joint.rest;
}

}  // namespace

TreeBatch JointTrees::Batch::view() {
  ORRERY_ASSERT(plan != nullptr && used != 0);
  return {plan,
          lanes,
          used,
          slots.data(),
          links.data(),
          free.data(),
          taken.data(),
          given.data(),
          driven_lanes.data(),
          open.data(),
          compliance.data(),
          energy.data(),
          false,
          &stiff,
          bodies.data(),
          rows.data(),
          entries.data(),
          loads.empty() ? nullptr : loads.data()};
}

void JointTrees::Batch::forget_tension() {
  ORRERY_ASSERT(plan != nullptr &&
                bodies.size() == std::size_t{plan->bodies} * TreeBody::count * lanes);
  if (!stiff) return;
  stiff = false;
  for (std::size_t b = 0; b < plan->bodies; ++b) {
    double* const at = &bodies[(b * TreeBody::count + TreeBody::added_inertia) * lanes];
    std::fill(at, at + lanes, 0.0);
  }
}

void JointTrees::set(std::span<const Joint> joints) {
  batches_.clear();
  loaded_ = nullptr;
  rows_ = 0;
  groups_ = group_trees(joints);
  contained_.assign(joints.size(), 0);
  for (const TreeGroup& group : groups_) {
    for (std::size_t i = 0; i < group.joints.size(); ++i) {
      const TreeLink& link = group.plan.links[i % group.plan.links.size()];
      contained_[group.joints[i]] = link.closes ? kCloses : 1;
    }
    for (std::uint32_t first = 0; first < group.trees;) {
      const bool alone = first + 1 == group.trees;
      add_batch(joints, group, first, alone ? 1 : kTreeLanes);
      first += alone ? 1 : std::min(kTreeLanes, group.trees - first);
    }
  }
  find_driven(joints);
}

void JointTrees::track(JointLoad* loads) {
  ORRERY_ASSERT(loads != nullptr);
  loads_ = loads;
  for (Batch& batch : batches_) {
    batch.loads.assign(batch.joints.size() * TreeLoad::count, 0);
  }
}

// Adds the loads of the last pass in the lanes of `used`.
void JointTrees::collect(const Batch& batch, std::uint32_t used) {
  if (batch.loads.empty()) return;
  ORRERY_ASSERT(loads_ != nullptr);
  for (std::size_t i = 0; i < batch.joints.size(); ++i) {
    const std::size_t link = i / batch.lanes, lane = i % batch.lanes;
    if (!(used >> lane & 1)) continue;
    const auto vector = [&](std::size_t number) {
      const double* const at = &batch.loads[(link * TreeLoad::count + number) * batch.lanes + lane];
      return Vec3{at[0], at[batch.lanes], at[2 * std::size_t{batch.lanes}]};
    };
    loads_[batch.joints[i]].impulse += vector(TreeLoad::impulse);
    loads_[batch.joints[i]].angular_impulse += vector(TreeLoad::angular_impulse);
  }
}

// Finds the places of all bodies that move, and the driven trees.
void JointTrees::find_driven(std::span<const Joint> joints) {
  ORRERY_ASSERT(contained_.size() == joints.size());
  places_.clear();
  for (std::uint32_t b = 0; b < batches_.size(); ++b) {
    const Batch& batch = batches_[b];
    for (std::uint32_t i = 0; i < batch.slots.size(); ++i) {
      const std::uint32_t lane = i % batch.lanes, body = i / batch.lanes;
      if (!batch.plan->moves[body] || !(batch.used >> lane & 1)) continue;
      places_.push_back({batch.slots[i], b, lane, body});
    }
  }
  std::sort(places_.begin(), places_.end(),
            [](const Place& a, const Place& b) { return a.slot < b.slot; });
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const bool apart =
        coordinate_rows(joints[i]) > 0 || (!contained_[i] && hold_rows(joints[i]) > 0);
    if (!apart) continue;
    for (const std::uint32_t slot : {joints[i].a, joints[i].b}) {
      if (const Place* const place = place_of(slot))
        batches_[place->batch].driven |= 1u << place->lane;
    }
  }
  for (Batch& batch : batches_) {
    for (std::uint32_t lane = 0; lane < batch.lanes; ++lane) {
      const double driven = batch.driven >> lane & 1 ? 1 : 0;
      batch.driven_lanes.push_back(driven);
      batch.undriven_lanes.push_back(1 - driven);
    }
  }
}

const JointTrees::Place* JointTrees::place_of(std::uint32_t slot) const {
  ORRERY_ASSERT(slot < limits::kBodiesMax);
  const auto at = std::lower_bound(places_.begin(), places_.end(), slot,
                                   [](const Place& p, std::uint32_t s) { return p.slot < s; });
  return at != places_.end() && at->slot == slot ? &*at : nullptr;
}

// Copies the rows and the factor of a tree from its lane, so that their numbers follow each other.
void JointTrees::load(const Place& place) {
  if (loaded_ && loaded_->batch == place.batch && loaded_->lane == place.lane) return;
  ORRERY_ASSERT(place.batch < batches_.size());
  const Batch& batch = batches_[place.batch];
  factor_.resize(batch.plan->entry_rows.size());
  for (std::size_t i = 0; i < factor_.size(); ++i) {
    factor_[i] = batch.entries[i * batch.lanes + place.lane];
  }
  directions_.resize(batch.plan->rows);
  for (std::size_t r = 0; r < directions_.size(); ++r) {
    const double* const row = &batch.rows[r * TreeRow::count * batch.lanes + place.lane];
    const auto vector = [&](std::uint32_t first) {
      const double* const at = row + first * batch.lanes;
      return Vec3{at[0], at[batch.lanes], at[2 * std::size_t{batch.lanes}]};
    };
    directions_[r] = {vector(TreeRow::n), vector(TreeRow::j_a), vector(TreeRow::j_b)};
  }
  speeds_.assign(directions_.size(), 0);
  loaded_ = &place;
}

// Appends the elements of one tree. REQUIRES: all pushed bodies are in this tree.
void JointTrees::reduce_tree(std::span<const Pushed> pushed, std::vector<Element>& elements) {
  ORRERY_ASSERT(!pushed.empty());
  load(*pushed[0].place);
  const Batch& batch = batches_[loaded_->batch];
  const TreePlan& plan = *batch.plan;
  std::uint32_t first = plan.rows;
  for (const TreeLink& link : plan.links) {
    for (const Pushed& p : pushed) {
      const bool at_a = link.a == p.place->body;
      if (!at_a && link.b != p.place->body) continue;
      first = std::min(first, link.first_row);
      for (std::uint32_t r = link.first_row; r < link.first_row + link.rows; ++r) {
        const Directions& along = directions_[r];
        const double speed =
            dot(along.n, p.motion.v) + dot(at_a ? along.j_a : along.j_b, p.motion.w);
        speeds_[r] += at_a ? -speed : speed;
      }
    }
  }
  const std::uint32_t first_row = batch.first_row + loaded_->lane * plan.rows;
  for (std::uint32_t c = first; c < plan.rows; ++c) {
    const double value = speeds_[c];
    if (value == 0) continue;
    speeds_[c] = 0;
    const std::uint32_t begin = plan.columns[c], end = plan.columns[c + 1];
    elements.push_back({first_row + c, value, value * factor_[begin]});
    for (std::uint32_t k = begin + 1; k < end; ++k) {
      speeds_[plan.entry_rows[k]] -= factor_[k] * value;
    }
  }
}

void JointTrees::reduce(std::uint32_t slot_a, const TreeMotion& a, std::uint32_t slot_b,
                        const TreeMotion& b, std::vector<Element>& elements) {
  ORRERY_ASSERT(slot_a != slot_b);
  const Pushed pushed[2] = {{place_of(slot_a), a}, {place_of(slot_b), b}};
  const Place *first = pushed[0].place, *second = pushed[1].place;
  if (first && second && first->batch == second->batch && first->lane == second->lane)
    return reduce_tree(pushed, elements);
  for (const Pushed& p : pushed) {
    if (p.place) reduce_tree({&p, 1}, elements);
  }
}

void JointTrees::project_driven(const BodyRows& rows) {
  for (Batch& batch : batches_) {
    ORRERY_ASSERT((batch.driven & ~batch.used) == 0);
    if (batch.driven == 0) continue;
    TreeBatch view = batch.view();
    view.used &= batch.driven;
    view.repeats = true;
    physics::project_velocities(rows, view, {1, {}});
    collect(batch, view.used);
  }
}

void JointTrees::project_some(const BodyRows& rows, std::span<const std::uint32_t> slots) {
  ORRERY_ASSERT(std::is_sorted(slots.begin(), slots.end()));
  chosen_.assign(batches_.size(), 0);
  for (const std::uint32_t slot : slots) {
    if (const Place* const place = place_of(slot)) chosen_[place->batch] |= 1u << place->lane;
  }
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    if (chosen_[i] == 0) continue;
    TreeBatch view = batches_[i].view();
    view.used = chosen_[i];
    view.repeats = true;
    physics::project_velocities(rows, view, {1, {}});
  }
}

void JointTrees::begin_driven(const BodyRows& rows, double h) {
  ORRERY_ASSERT(h > 0);
  for (Batch& batch : batches_) {
    if (batch.driven == 0) continue;
    TreeBatch view = batch.view();
    view.used &= batch.driven;
    view.kept = batch.undriven_lanes.data();
    physics::begin_driven(rows, view, h);
    collect(batch, view.used);
  }
  loaded_ = nullptr;
}

bool JointTrees::any_added() const {
  return std::any_of(batches_.begin(), batches_.end(), [](const Batch& b) { return b.stiff; });
}

double JointTrees::added_inertia(std::uint32_t slot) const {
  ORRERY_ASSERT(any_added());
  const Place* const place = place_of(slot);
  if (!place || !batches_[place->batch].stiff) return 0;
  const Batch& batch = batches_[place->batch];
  return batch
      .bodies[(std::size_t{place->body} * TreeBody::count + TreeBody::added_inertia) * batch.lanes +
              place->lane];
}

void JointTrees::add_batch(std::span<const Joint> joints, const TreeGroup& group,
                           std::uint32_t first, std::uint32_t lanes) {
  const TreePlan& plan = group.plan;
  ORRERY_ASSERT(first < group.trees);
  ORRERY_ASSERT(plan.entry_rows.size() == plan.columns.back());
  static_assert(kTreeLanes < 32);  // `used` has a bit for each lane
  Batch& batch = batches_.emplace_back();
  const std::uint32_t trees = std::min(lanes, group.trees - first);
  batch.lanes = lanes;
  batch.used = (1u << trees) - 1;
  batch.plan = &plan;
  batch.first_row = rows_;
  rows_ += plan.rows * lanes;
  batch.slots.resize(std::size_t{plan.bodies} * lanes);
  batch.joints.resize(plan.links.size() * lanes);
  batch.links.resize(plan.links.size() * TreeLinkNumbers::count * lanes);
  batch.free.assign(lanes, 0);
  batch.taken.assign(lanes, 0);
  batch.open.assign(lanes, 0);
  batch.compliance.assign(lanes, 0);
  batch.energy.assign(lanes, 0);
  batch.given.assign(lanes, 0);
  batch.bodies.assign(std::size_t{plan.bodies} * TreeBody::count * lanes, 0);
  batch.rows.assign(std::size_t{plan.rows} * TreeRow::count * lanes, 0);
  batch.entries.assign(plan.entry_rows.size() * lanes, 0);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::size_t tree = first + (lane < trees ? lane : 0);
    for (std::uint32_t b = 0; b < plan.bodies; ++b) {
      batch.slots[b * lanes + lane] = group.slots[tree * plan.bodies + b];
    }
    for (std::size_t i = 0; i < plan.links.size(); ++i) {
      const std::uint32_t joint = group.joints[tree * plan.links.size() + i];
      batch.joints[i * lanes + lane] = joint;
      write_link(joints[joint], &batch.links[i * TreeLinkNumbers::count * lanes + lane], lanes);
    }
  }
}

void JointTrees::find_free(std::span<const std::uint32_t> contacts,
                           std::span<const std::uint32_t> indices, std::span<std::uint8_t> flags) {
  ORRERY_ASSERT(indices.size() == contained_.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!contained_[i]) flags[indices[i]] = 0;
  }
  for (Batch& batch : batches_) {
    for (std::uint32_t lane = 0; lane < batch.lanes; ++lane) {
      batch.taken[lane] = flags[indices[batch.joints[lane]]] == kJointFree ? 1 : 0;
    }
    std::fill(batch.free.begin(), batch.free.end(), 1.0);
    batch.forget_tension();
    ORRERY_ASSERT(batch.slots.size() == std::size_t{batch.plan->bodies} * batch.lanes);
    ORRERY_ASSERT(*std::max_element(batch.slots.begin(), batch.slots.end()) < contacts.size());
    for (std::size_t i = 0; i < batch.slots.size(); ++i) {
      if (!batch.plan->moves[i / batch.lanes]) continue;
      if (contacts[batch.slots[i]] > 0) batch.free[i % batch.lanes] = 0;
    }
    for (std::uint32_t lane = 0; lane < batch.lanes; ++lane) {
      const bool driven = batch.driven >> lane & 1;
      if (driven) batch.taken[lane] = 0;
      batch.given[lane] = driven ? 0 : batch.free[lane];
    }
    for (std::size_t i = 0; i < batch.joints.size(); ++i) {
      flags[indices[batch.joints[i]]] = batch.given[i % batch.lanes] > 0 ? kJointFree : 0;
    }
  }
}

void JointTrees::factor(const Bodies& bodies) {
  loaded_ = nullptr;
  for (Batch& batch : batches_) factor_trees(bodies, batch.view());
}

void JointTrees::meet_positions(const BodyRows& rows, const Substep& step) {
  ORRERY_ASSERT(step.h > 0);
  for (Batch& batch : batches_) {
    physics::meet_positions(rows, batch.view(), step);
    collect(batch, batch.used);
    batch.taken = batch.given;
  }
}

void JointTrees::project_velocities(const BodyRows& rows, const Substep& step) {
  for (Batch& batch : batches_) {
    physics::project_velocities(rows, batch.view(), step);
    collect(batch, batch.used);
  }
}

void JointTrees::repeat(const BodyRows& rows, const Substep& step, bool relaxes) {
  ORRERY_ASSERT(step.h > 0);
  const Substep weightless{step.h, {}, step.tick};
  for (Batch& batch : batches_) {
    TreeBatch view = batch.view();
    for (std::uint32_t lane = 0; lane < batch.lanes; ++lane) {
      if (batch.free[lane] > 0) view.used &= ~(1u << lane);
    }
    if (view.used == 0) continue;
    view.repeats = true;
    if (relaxes) {
      physics::project_velocities(rows, view, weightless);
    } else {
      physics::meet_positions(rows, view, weightless);
    }
    collect(batch, view.used);
  }
}

}  // namespace orrery::physics

// Measures overlaps, joints, the height of a pile and its energy.
#include "common/world/report/contact_report.h"

#include <algorithm>
#include <limits>

#include "common/core/limits.h"
#include "common/physics/contacts/contact_geometry.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery {
namespace {

// Adds the overlaps between the parts of two bodies. `left` bounds the time: it is the number of
// pairs of parts that this call and later calls may still examine. The first pair of parts in each
// call does not count. If `left` is too small for all pairs of this call, examines none of them and
// sets report.complete to false.
void add_overlaps(const World& world, const physics::Pair& pair, std::uint64_t& left,
                  ContactReport& report) {
  const Collision& c = *world.collision();
  const std::span<const physics::Part> parts_a = c.shapes.parts(c.shape_of[pair.a]);
  const std::span<const physics::Part> parts_b = c.shapes.parts(c.shape_of[pair.b]);
  const std::uint64_t more = std::uint64_t{parts_a.size()} * parts_b.size() - 1;
  if (more > left) {
    report.complete = false;
    return;
  }
  left -= more;
  const Pose pose_a = physics::pose_of(world.bodies(), pair.a);
  const Pose pose_b = physics::pose_of(world.bodies(), pair.b);
  for (const physics::Part& a : parts_a) {
    for (const physics::Part& b : parts_b) {
      if (!physics::is_convex(a.kind) || !physics::is_convex(b.kind) ||
          !physics::may_meet(a.filter, b.filter))
        continue;
      if (a.filter.sensor || b.filter.sensor) continue;
      const double deep = physics::overlap(c.shapes, a, pose_a, b, pose_b);
      if (deep <= 0) continue;
      ++report.overlapping;
      report.mean_overlap += deep;
      report.deepest_overlap = std::max(report.deepest_overlap, deep);
    }
  }
}

double kinetic_energy(const World& world, std::uint32_t slot) {
  const physics::Bodies& bodies = world.bodies();
  const BodyDef& def = prototype_of(world, slot);
  const Vec3 v = bodies.velocity(slot);
  const Vec3 momentum = bodies.angular_momentum(slot);
  return 0.5 *
         (def.mass * dot(v, v) + dot(momentum, scaled(bodies.inverse_inertia(slot), momentum)));
}

// Returns true for rigid and point bodies, asleep or not.
bool may_move(const World& world, std::uint32_t slot) {
  return world.bodies().alive(slot) && is_dynamic(prototype_of(world, slot).kind);
}

// Returns the bodies as if none slept, so that the search for pairs finds sleeping bodies too.
physics::Bodies all_awake(const World& world) {
  const physics::Bodies& from = world.bodies();
  physics::Bodies bodies(from.capacity());
  for (std::uint32_t slot = 0; slot < from.slots(); ++slot) {
    bodies.occupy(slot);
    bodies.set_position(slot, from.position(slot));
    bodies.set_orientation(slot, from.orientation(slot));
    bodies.set(physics::BodyField::inverse_mass, slot, may_move(world, slot) ? 1 : 0);
  }
  return bodies;
}

void add_bodies(const World& world, ContactReport& report) {
  ORRERY_ASSERT(report.awake == 0);
  report.top = -std::numeric_limits<double>::infinity();
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (!may_move(world, slot)) continue;
    report.top = std::max(report.top, world.bodies().position(slot).y);
    report.kinetic_energy += kinetic_energy(world, slot);
    if (world.bodies().inverse_mass(slot) != 0) ++report.awake;
  }
}

// Counts islands by counting their lowest slots: only for these slots find() returns the slot
// itself.
void add_islands(const World& world, std::span<const physics::Pair> near, ContactReport& report) {
  ORRERY_ASSERT(world.collision());
  physics::Islands islands;
  islands.reset(world.bodies().slots());
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    if (may_move(world, a) && may_move(world, b)) islands.join(a, b);
  };
  for (const physics::Pair& pair : near) join(pair.a, pair.b);
  for (const physics::Spring& spring : world.forces().springs) join(spring.a, spring.b);
  const physics::JointSet& joints = world.collision()->solver.joints();
  for (std::size_t i = 0; i < joints.joints().size(); ++i) {
    if (!joints.broken(i)) join(joints.joints()[i].a, joints.joints()[i].b);
  }
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (may_move(world, slot) && islands.find(slot) == slot) ++report.islands;
  }
}

void add_contacts(const Collision& c, ContactReport& report) {
  ORRERY_ASSERT(report.contacts == 0 && report.points == 0);
  report.contacts = c.solver.contacts().size();
  report.points = c.solver.contacts().points();
  if (!c.sleeping) return;
  for (const physics::ContactRecord& contact : c.sleeping->contacts()) {
    ++report.contacts;
    report.points += contact.count;
  }
}

void add_joints(const World& world, ContactReport& report) {
  ORRERY_ASSERT(world.collision());
  const physics::JointSet& joints = world.collision()->solver.joints();
  for (std::size_t i = 0; i < joints.joints().size(); ++i) {
    if (joints.broken(i)) continue;
    ++report.joints;
    report.deepest_joint =
        std::max(report.deepest_joint, physics::joint_error(joints.joints()[i], world.bodies()));
  }
}

}  // namespace

ContactReport report_contacts(const World& world, Executor& executor) {
  ORRERY_ASSERT(world.collision());
  const Collision& c = *world.collision();
  ContactReport report;
  add_contacts(c, report);
  const physics::Bodies bodies = all_awake(world);
  physics::BroadPhase search(bodies.capacity());
  search.update({bodies, c.shapes, c.shape_of},
                physics::contact_margin(world.controls().gravity, world.tick_time()), executor);
  report.complete = c.solver.contacts_complete() && c.broad_phase.complete() && search.complete();
  const std::span<const physics::Pair> separate = c.solver.joints().separate();
  std::uint64_t left = limits::kPartPairsMax;
  for (const physics::Pair& pair : search.pairs()) {
    if (std::binary_search(separate.begin(), separate.end(), pair)) continue;
    add_overlaps(world, pair, left, report);
  }
  add_islands(world, search.pairs(), report);
  if (report.overlapping != 0) report.mean_overlap /= report.overlapping;
  add_bodies(world, report);
  add_joints(world, report);
  return report;
}

}  // namespace orrery

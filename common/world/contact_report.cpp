// Owns how overlaps, the height of a pile and its energy are measured.
#include "common/world/contact_report.h"

#include <algorithm>
#include <limits>

#include "common/physics/contact_geometry.h"
#include "common/physics/narrow_phase.h"

namespace orrery {
namespace {

// Adds the overlaps of the parts of two bodies.
void add_overlaps(const World& world, const Pair& pair, ContactReport& report) {
  const Collision& c = *world.collision;
  const Pose pose_a = pose_of(world.bodies, pair.a);
  const Pose pose_b = pose_of(world.bodies, pair.b);
  for (const Part& a : c.shapes.parts(c.shape_of[pair.a])) {
    for (const Part& b : c.shapes.parts(c.shape_of[pair.b])) {
      if (!is_convex(a.kind) || !is_convex(b.kind) || !may_meet(a.filter, b.filter)) continue;
      if (a.filter.sensor || b.filter.sensor) continue;
      const double deep = overlap(c.shapes, a, pose_a, b, pose_b);
      if (deep <= 0) continue;
      ++report.overlapping;
      report.mean_overlap += deep;
      report.deepest_overlap = std::max(report.deepest_overlap, deep);
    }
  }
}

double kinetic_energy(const World& world, std::uint32_t slot) {
  const Bodies& bodies = world.bodies;
  const BodyDef& def = world.scene.bodies[world.controls.prototypes[slot]];
  const Vec3 v = bodies.velocity(slot);
  const Vec3 momentum = bodies.angular_momentum(slot);
  return 0.5 *
         (def.mass * dot(v, v) + dot(momentum, scaled(bodies.inverse_inertia(slot), momentum)));
}

void add_bodies(const World& world, ContactReport& report) {
  report.top = -std::numeric_limits<double>::infinity();
  for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
    if (!world.bodies.alive(slot) || world.bodies.inverse_mass(slot) == 0) continue;
    report.top = std::max(report.top, world.bodies.position(slot).y);
    report.kinetic_energy += kinetic_energy(world, slot);
  }
}

}  // namespace

ContactReport report_contacts(const World& world, Executor& executor) {
  ORRERY_ASSERT(world.collision);
  const Collision& c = *world.collision;
  ContactReport report;
  report.contacts = c.solver.contacts().size();
  report.points = c.solver.contacts().points();
  BroadPhase search(world.bodies.capacity());
  search.update(world.bodies, c.shapes, c.shape_of, 0, executor);
  for (const Pair& pair : search.pairs()) add_overlaps(world, pair, report);
  if (report.overlapping != 0) report.mean_overlap /= report.overlapping;
  add_bodies(world, report);
  return report;
}

}  // namespace orrery

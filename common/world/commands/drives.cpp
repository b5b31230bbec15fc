// Computes the ways of kinematic bodies, and hands the drives of joints to the solver.
#include "common/world/commands/drives.h"

#include <algorithm>
#include <limits>

#include "common/core/limits.h"
#include "common/math/elementary.h"
#include "common/math/range.h"
#include "common/physics/motion/force_points.h"
#include "common/world/image/state_hash.h"
#include "common/world/sleep.h"

namespace orrery {
namespace {

void set_velocities(MutableWorld& world, std::uint32_t slot, const Vec3& velocity,
                    const Vec3& angular_velocity) {
  ORRERY_ASSERT(world.bodies.alive(slot));
  const Quat q = world.bodies.orientation(slot);
  world.bodies.set_velocity(slot, velocity);
  world.bodies.set_angular_momentum(
      slot, scaled(momentum_inertia(prototype_of(world, slot)), rotate_back(q, angular_velocity)));
}

void set_pose(MutableWorld& world, std::uint32_t slot, const Pose& pose) {
  ORRERY_ASSERT(world.bodies.alive(slot));
  world.bodies.set_position(slot, pose.position);
  world.bodies.set_orientation(slot, pose.orientation);
}

// Returns the rotation from one orientation to another, the shorter way round, as its axis times
// its angle.
Vec3 turn_between(const Quat& from, const Quat& to) {
  Quat turn = to * conjugate(from);
  if (turn.w < 0) turn = {-turn.x, -turn.y, -turn.z, -turn.w};
  const Vec3 axis{turn.x, turn.y, turn.z};
  const double sine = length(axis);
  if (sine == 0) return {};
  return (2 * elementary::polar_angle(sine, turn.w) / sine) * axis;
}

Quat turned(const Quat& q, const Vec3& turn) {
  const double angle = length(turn);
  if (angle == 0) return q;
  const Vec3 axis = (elementary::sin(angle / 2) / angle) * turn;
  return normalized(Quat{axis.x, axis.y, axis.z, elementary::cos(angle / 2)} * q);
}

// Returns the pose after a share of the ticks of a way.
Pose pose_on(const Way& way, double share_of_ticks) {
  ORRERY_ASSERT(share_of_ticks >= 0);
  if (share_of_ticks >= 1) return way.to;
  const double u = share_of_ticks;
  const double share = u * u * (3 - 2 * u);
  const Vec3 turn = turn_between(way.from.orientation, way.to.orientation);
  return {way.from.position + share * (way.to.position - way.from.position),
          turned(way.from.orientation, share * turn)};
}

// A body turns at most half round in a substep. If the time is very short, it turns too slowly, and
// arrives only at the end of its way.
Vec3 bounded_spin(const Vec3& spin) {
  const auto bounded = [](double x) {
    return std::clamp(x, -limits::kAngularSpeedMax, limits::kAngularSpeedMax);
  };
  return {bounded(spin.x), bounded(spin.y), bounded(spin.z)};
}

// Gives the bodies on ways the velocities that lead in `time` to their poses after `substeps`
// substeps of this tick.
void follow_ways(MutableWorld& world, std::uint32_t substeps, double time) {
  ORRERY_ASSERT(time > 0 && substeps <= world.scene.substeps);
  for (const Way& way : world.controls.ways) {
    ORRERY_ASSERT(way.ticks > 0 && world.tick.value >= way.begin);
    const std::uint32_t slot = slot_of(way.body);
    const double ticks = static_cast<double>(world.tick.value - way.begin) +
                         static_cast<double>(substeps) / world.scene.substeps;
    const Pose next = pose_on(way, ticks / way.ticks);
    const Vec3 velocity = (1 / time) * (next.position - world.bodies.position(slot));
    const Vec3 spin = (1 / time) * turn_between(world.bodies.orientation(slot), next.orientation);
    set_velocities(world, slot, physics::bounded_velocity(velocity), bounded_spin(spin));
  }
}

bool is_kinematic(const World& world, BodyId body) {
  return prototype_of(world, slot_of(body)).kind == BodyKind::kinematic;
}

// Returns the pose of the state for a pose of the shape.
Pose state_pose(const World& world, BodyId body, const Vec3f& position, const Quatf& orientation) {
  ORRERY_ASSERT(contains(world, body));
  return body_pose(world, world.controls().prototypes[slot_of(body)],
                   {widen(position), normalized(widen(orientation))});
}

// Returns the place of a joint's drive, where it is or belongs.
auto drive_of(Controls& controls, std::uint32_t joint) {
  return std::lower_bound(controls.drives.begin(), controls.drives.end(), joint,
                          [](const JointDrive& d, std::uint32_t key) { return d.joint < key; });
}

// Returns why no command can drive the joint, or `applied`.
Verdict drivable(const World& world, std::uint32_t joint) {
  if (joint >= world.scene().joints.size()) return Verdict::no_joint;
  if (world.collision()->solver.joints().broken(joint)) return Verdict::no_joint;
  return physics::traits_of(world.scene().joints[joint].kind).moves ? Verdict::applied
                                                                    : Verdict::no_joint;
}

// Lets `set` change the drive of a joint. Wakes its bodies if this changes the joint.
template <class Set>
Verdict drive(MutableWorld& world, std::uint32_t joint, Set set) {
  ORRERY_ASSERT(drivable(world, joint) == Verdict::applied);
  const JointDef& def = world.scene.joints[joint];
  JointDrive changed;
  changed.joint = joint;
  if (const JointDrive* const held = find_drive(world.controls, joint)) changed = *held;
  const physics::JointSettings before = driven(def, find_drive(world.controls, joint));
  set(changed);
  const physics::JointSettings after = driven(def, &changed);
  if (before == after) return Verdict::unchanged;
  const auto at = drive_of(world.controls, joint);
  const bool held = at != world.controls.drives.end() && at->joint == joint;
  if (held) {
    *at = changed;
  } else {
    world.controls.drives.insert(at, changed);
  }
  world.collision->solver.change_joint(joint, after);
  for (const std::uint32_t slot : {def.a, def.b}) {
    if (is_dynamic(prototype_of(world, slot).kind)) wake(world, slot);
  }
  return Verdict::applied;
}

}  // namespace

physics::JointSettings driven(const JointDef& def, const JointDrive* drive) {
  physics::JointSettings settings = def;
  if (drive == nullptr) return settings;
  if (drive->motor) {
    settings.motor_speed = drive->motor->speed;
    settings.motor_max = drive->motor->max;
  }
  if (drive->servo) {
    settings.rest = drive->servo->position;
    settings.frequency = drive->servo->frequency;
    settings.damping_ratio = drive->servo->damping_ratio;
    settings.servo = true;
    settings.servo_max = drive->servo->max > 0 ? static_cast<double>(drive->servo->max)
                                               : std::numeric_limits<double>::infinity();
  }
  return settings;
}

const JointDrive* find_drive(const Controls& controls, std::uint32_t joint) {
  const auto at =
      std::lower_bound(controls.drives.begin(), controls.drives.end(), joint,
                       [](const JointDrive& d, std::uint32_t key) { return d.joint < key; });
  return at != controls.drives.end() && at->joint == joint ? &*at : nullptr;
}

void set_joint_drives(MutableWorld& world) {
  ORRERY_ASSERT(world.collision || world.scene.joints.empty());
  for (std::uint32_t i = 0; i < world.scene.joints.size(); ++i) {
    const physics::JointSettings wanted =
        driven(world.scene.joints[i], find_drive(world.controls, i));
    const physics::JointSettings& now = world.collision->solver.joints().joints()[i];
    if (!(now == wanted)) world.collision->solver.change_joint(i, wanted);
  }
}

bool may_drive(const World& world, const Client& client, std::uint32_t joint) {
  if (joint >= world.scene().joints.size()) return false;
  const JointDef& def = world.scene().joints[joint];
  const auto owns = [&](std::uint32_t slot) {
    return world.controls().owners[slot] == owner_number(client);
  };
  switch (def.control) {
    case Control::nobody:
      return false;
    case Control::anyone:
      return true;
    case Control::owner:
      return owns(def.a) || owns(def.b);
  }
  return false;
}

bool end_way(Controls& controls, BodyId body) {
  return std::erase_if(controls.ways, [body](const Way& way) { return way.body == body; }) > 0;
}

Verdict set_velocity(MutableWorld& world, const command::SetVelocity& c) {
  if (!contains(world, c.body)) return Verdict::no_body;
  if (!is_kinematic(world, c.body)) return Verdict::not_kinematic;
  const std::uint32_t slot = slot_of(c.body);
  const Vec3 velocity = widen(c.velocity), angular_velocity = widen(c.angular_velocity);
  const bool had_way = end_way(world.controls, c.body);
  if (!had_way && world.bodies.velocity(slot) == velocity &&
      world.bodies.angular_velocity(slot) == angular_velocity) {
    return Verdict::unchanged;
  }
  set_velocities(world, slot, velocity, angular_velocity);
  return Verdict::applied;
}

Verdict move_to(MutableWorld& world, const command::MoveTo& c) {
  ORRERY_ASSERT(c.ticks >= 1 && c.ticks <= limits::kWayTicksMax);
  if (!contains(world, c.body)) return Verdict::no_body;
  if (!is_kinematic(world, c.body)) return Verdict::not_kinematic;
  const std::uint32_t slot = slot_of(c.body);
  end_way(world.controls, c.body);
  const auto at =
      std::lower_bound(world.controls.ways.begin(), world.controls.ways.end(), slot,
                       [](const Way& way, std::uint32_t key) { return slot_of(way.body) < key; });
  const Pose from{world.bodies.position(slot), world.bodies.orientation(slot)};
  world.controls.ways.insert(
      at, {c.body, from, state_pose(world, c.body, c.position, c.orientation), world.tick.value,
           c.ticks});
  return Verdict::applied;
}

Verdict place(MutableWorld& world, const command::Place& c) {
  if (!contains(world, c.body)) return Verdict::no_body;
  const std::uint32_t slot = slot_of(c.body);
  const BodyKind kind = prototype_of(world, slot).kind;
  if (kind == BodyKind::anchor) return Verdict::fixed;
  end_way(world.controls, c.body);
  before_body_removed(world, slot);  // wakes the bodies on it
  if (world.collision) {
    world.collision->solver.contacts().end_contacts_of(slot);
    world.collision->broad_phase.bodies_changed();
  }
  after_body_replaced(world, slot);
  ORRERY_ASSERT(contains(world, c.body));  // it keeps its slot and its id
  set_pose(world, slot, state_pose(world, c.body, c.position, c.orientation));
  set_velocities(world, slot, widen(c.velocity), widen(c.angular_velocity));
  return Verdict::applied;
}

Verdict set_motor(MutableWorld& world, const command::SetMotor& c) {
  ORRERY_ASSERT(c.max >= 0);
  const Verdict possible = drivable(world, c.joint);
  if (possible != Verdict::applied) return possible;
  const bool is_angle = physics::traits_of(world.scene.joints[c.joint].kind).is_angle;
  if (is_angle && !within(c.speed, limits::kAngularSpeedMax)) return Verdict::unavailable;
  return drive(world, c.joint, [&](JointDrive& d) { d.motor = MotorDrive{c.speed, c.max}; });
}

Verdict set_target(MutableWorld& world, const command::SetTarget& c) {
  ORRERY_ASSERT(c.max >= 0 && c.frequency >= 0);
  const Verdict possible = drivable(world, c.joint);
  if (possible != Verdict::applied) return possible;
  const physics::JointTraits& traits = physics::traits_of(world.scene.joints[c.joint].kind);
  if (!within(c.position, traits.least, traits.most)) return Verdict::unavailable;
  return drive(world, c.joint, [&](JointDrive& d) {
    d.servo = ServoDrive{c.position, c.frequency, c.damping_ratio, c.max};
  });
}

void start_ways(MutableWorld& world) { follow_ways(world, world.scene.substeps, world.tick_time); }

void continue_ways(MutableWorld& world, std::uint32_t substep) {
  follow_ways(world, substep + 1, world.substep_time);
}

void finish_ways(MutableWorld& world) {
  const auto arrives = [&](const Way& way) {
    return world.tick.value + 1 >= way.begin + way.ticks;
  };
  bool any = false;
  for (const Way& way : world.controls.ways) {
    if (!arrives(way)) continue;
    any = true;
    set_pose(world, slot_of(way.body), way.to);
    set_velocities(world, slot_of(way.body), {}, {});
  }
  if (!any) return;
  std::erase_if(world.controls.ways, arrives);
  world.controls_hash = hash_controls(world);
}

}  // namespace orrery

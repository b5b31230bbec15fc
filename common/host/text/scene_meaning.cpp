// Finds settings of a scene that cannot be intended.
#include "common/host/text/scene_meaning.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "common/world/joint_frames.h"
#include "common/world/scenes/keys/keys.h"
#include "common/world/scenes/scene_problem.h"

namespace orrery::host {
namespace {

// Largest error in the places of the two points of a joint at the start. It is a fraction of the
// sum of the points' distances from the centres of their bodies; for rods and sliders, their
// distance from each other is added. A larger error is a mistake and not just rounded input.
constexpr double kApartMax = 0.01;

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

// Writes the vector without the rounding errors of components that should be zero.
std::string text_of(const Vec3& v) {
  const double least = 1e-9 * length(v);
  const auto component = [&](double value) {
    return text_of(value * value < least * least ? 0 : value);
  };
  return '[' + component(v.x) + ", " + component(v.y) + ", " + component(v.z) + ']';
}

Problem body_problem(const BodyDef& body) {
  const bool still = body.kind == BodyKind::anchor;
  if (still && body.velocity != Vec3{}) {
    return Error::at("velocity", " does nothing: an anchor does not move; a kinematic body does");
  }
  if ((still || body.kind == BodyKind::point) && body.angular_velocity != Vec3{}) {
    return Error::at("angular_velocity", " does nothing: an anchor or point does not turn");
  }
  if (body.owner != 0 && body.control != Control::owner) {
    return Error::at("owner", " does nothing without \"control\": \"owner\"");
  }
  return {};
}

Problem stiffness_problem(const auto& spring) {
  if (spring.stiffness != 0 || spring.damping != 0) return {};
  return Error::at("stiffness", " and damping are 0: it does nothing");
}

Problem spring_problem(const SpringDef& spring, const Scene& scene) {
  if (!is_dynamic(scene.bodies[spring.a].kind) && !is_dynamic(scene.bodies[spring.b].kind)) {
    return Error{"it does nothing: a and b are both anchors or kinematic"};
  }
  return stiffness_problem(spring);
}

Problem tether_problem(const TetherDef& tether, const Scene& scene) {
  if (!is_dynamic(scene.bodies[tether.body].kind)) {
    return Error{"it does nothing: body is an anchor or kinematic"};
  }
  return stiffness_problem(tether);
}

Problem script_problem(const ScriptDef& script) {
  if ((script.reach == 0) == (script.pull == 0)) return {};
  return Error::at("reach", " and pull do nothing without each other");
}

// Returns true if the joint holds its coordinate at `rest`, as a distance joint without limits,
// spring and motor does.
bool is_rod(const JointDef& joint) {
  return physics::traits_of(joint.kind).holds_rest && physics::hold_rows(joint) > 0;
}

// Checks that the two points of a joint start as its kind requires: in one place, on one line, or
// at the distance `rest`.
Problem apart_problem(const JointDef& def, const BodyDef& a, const BodyDef& b) {
  physics::Joint joint;
  static_cast<physics::JointSettings&>(joint) = def;
  joint.at_a = {def.at_a, turn_from_x(def.axis)};
  joint.at_b = {def.at_b, {}};
  const physics::JointFrame frame(joint, {a.position, a.orientation}, {b.position, b.orientation});
  const Vec3 gap = physics::joint_gap(joint, frame);
  const double distance = length(frame.between);
  double scale =
      length(def.at_a) + length(def.at_b) + 1e-6 * (length(a.position) + length(b.position));
  if (physics::traits_of(def.kind).lengths < 3) scale += distance;
  if (length(gap) <= kApartMax * scale) return {};
  if (is_rod(def))
    return Error::at("rest", " must be " + text_of(distance) + ", the distance between the points");
  return Error::at("at_b", " must be " + text_of(def.at_b - rotate_back(b.orientation, gap)) +
                               ", or a body must move: the points of the joint start " +
                               text_of(length(gap)) + " apart");
}

Problem coordinate_problem(const JointDef& joint) {
  const bool spring = joint.frequency != 0;
  if (joint.motor_speed != 0 && joint.motor_max == 0) {
    return Error::at("motor_speed",
                     " does nothing without motor_max, the largest force or torque of the motor");
  }
  if (!joint.limited && (joint.lower != 0 || joint.upper != 0)) {
    return Error::at("lower", " and upper do nothing without \"limited\": true");
  }
  const physics::JointTraits& traits = physics::traits_of(joint.kind);
  if (!traits.has_lower && joint.lower != 0) {
    return Error::at("lower", " does nothing: the " +
                                  std::string(traits.is_angle ? "angle" : "distance") + " of a " +
                                  traits.name + " joint is limited only by upper");
  }
  if (joint.rest != 0 && !spring && !is_rod(joint)) {
    return Error::at("rest",
                     " does nothing without frequency, the frequency of the spring towards it");
  }
  if (joint.damping_ratio != 1 && !spring)
    return Error::at("damping_ratio", " does nothing without frequency");
  return {};
}

Problem joint_problem(const JointDef& joint, const Scene& scene) {
  const BodyDef& a = scene.bodies[joint.a];
  const BodyDef& b = scene.bodies[joint.b];
  if (joint.collides && (a.shape == physics::kNoShape || b.shape == physics::kNoShape)) {
    return Error::at("collides", " does nothing: a and b do not both have a shape");
  }
  if (Problem p = coordinate_problem(joint)) return p;
  return apart_problem(joint, a, b);
}

}  // namespace

Problem doubt_of(const Scene& scene) {
  std::vector<bool> used(scene.shapes.size(), false);
  for (const BodyDef& body : scene.bodies) {
    if (body.shape != physics::kNoShape) used[body.shape] = true;
  }
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return {};
  const std::string number = std::to_string(unused - used.begin());
  return Error{"no body has it; give one \"shape\": " + number}.in_item(
      "shape", static_cast<std::size_t>(unused - used.begin()));
}

Status check_intent(const Scene& scene) {
  ORRERY_ASSERT(!scene.bodies.empty());
  Problem p = first_problem("body", scene.bodies, body_problem);
  if (!p) {
    p = first_problem("spring", scene.springs,
                      [&](const SpringDef& s) { return spring_problem(s, scene); });
  }
  if (!p) {
    p = first_problem("tether", scene.tethers,
                      [&](const TetherDef& t) { return tether_problem(t, scene); });
  }
  if (!p) p = first_problem("script", scene.scripts, script_problem);
  if (!p) {
    p = first_problem("joint", scene.joints,
                      [&](const JointDef& j) { return joint_problem(j, scene); });
  }
  if (!p) {
    p = first_problem("key", scene.keys, [&](const KeyDef& k) { return key_doubt(k, scene); });
  }
  return p ? Status(*p) : ok_status();
}

}  // namespace orrery::host

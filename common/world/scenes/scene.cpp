// Checks that a scene is valid.
#include "common/world/scenes/scene.h"

#include <algorithm>
#include <limits>

#include "common/core/limits.h"
#include "common/math/between.h"
#include "common/world/scenes/keys/keys.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scene_problem.h"

namespace orrery {
namespace {

// The messages of body_problem() contain these numbers.
static_assert(limits::kLengthMax == 1e12 && limits::kSpeedMax == 1e9);
static_assert(limits::kAngularSpeedMax == 1e6 && limits::kGravityScaleMax == 1e6);
static_assert(limits::kMassMin == 1e-12 && limits::kMassMax == 1e15);
static_assert(limits::kInertiaMin == 1e-18 && limits::kInertiaMax == 1e24);
static_assert(limits::kInertiaRatioMax == 1e12);
static_assert(limits::kCoefficientMax == 1e18);
static_assert(limits::kClientsMax == 1024);

Problem body_problem(const BodyDef& body) {
  using namespace limits;
  const Quat& q = body.orientation;
  const double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!within(body.position, kLengthMax))
    return problem_at("position", " must be finite, at most 1e12");
  if (!within(body.velocity, kSpeedMax))
    return problem_at("velocity", " must be finite, at most 1e9");
  if (!within(body.angular_velocity, kAngularSpeedMax)) {
    return problem_at("angular_velocity", " must be finite, at most 1e6");
  }
  if (!within(norm, 0.999999, 1.000001)) return problem_at("orientation", " must have length 1");
  if (Problem p = between("mass", body.mass, kMassMin, kMassMax, "1e-12 to 1e15")) return p;
  if (body.kind == BodyKind::rigid) {
    const Vec3& i = body.inertia;
    if (!within(i.x, kInertiaMin, kInertiaMax) || !within(i.y, kInertiaMin, kInertiaMax) ||
        !within(i.z, kInertiaMin, kInertiaMax)) {
      return problem_at("inertia", " must be from 1e-18 to 1e24 about each axis");
    }
    if (std::max({i.x, i.y, i.z}) > kInertiaRatioMax * std::min({i.x, i.y, i.z})) {
      return problem_at("inertia", " about one axis must be at most 1e12 times that about another");
    }
  }
  if (!within(body.gravity_scale, kGravityScaleMax))
    return problem_at("gravity_scale", " must be within 1e6");
  if (!within(body.linear_drag, 0, kCoefficientMax) ||
      !within(body.quadratic_drag, 0, kCoefficientMax)) {
    return problem_at("drag", " must be from 0 to 1e18");
  }
  const Vec3& e = body.half_extents;
  if (!within(e, kLengthMax) || e.x < 0 || e.y < 0 || e.z < 0) {
    return problem_at("half_extents", " must be from 0 to 1e12");
  }
  // The inertia matters only for rigid bodies, but it must be finite for all: a JSON scene can hold
  // only finite numbers.
  if (!within(body.inertia, std::numeric_limits<double>::max()))
    return problem_at("inertia", " must be finite");
  if (body.color != kNoColor && body.color > 0xFFFFFF) {
    return problem_at("color", " must be \"#\" and six hexadecimal digits: red, green and blue");
  }
  return {};
}

Problem spring_numbers_problem(double stiffness, double damping, double rest_length) {
  using namespace limits;
  Problem p = between("stiffness", stiffness, 0, kCoefficientMax, "0 to 1e18");
  if (!p) p = between("damping", damping, 0, kCoefficientMax, "0 to 1e18");
  return p ? p : between("rest_length", rest_length, 0, kLengthMax, "0 to 1e12");
}

Problem no_such_body(const std::string& key, std::uint32_t id, const Scene& scene) {
  if (id < scene.bodies.size()) return {};
  return Error::at(key, ": there is no body " + std::to_string(id) + "; ids are 0 to " +
                            std::to_string(scene.bodies.size() - 1));
}

Problem spring_problem(const SpringDef& spring, const Scene& scene) {
  if (Problem p = no_such_body("a", spring.a, scene)) return p;
  if (Problem p = no_such_body("b", spring.b, scene)) return p;
  if (spring.a == spring.b) return problem_at("a", " and b must be two bodies");
  if (!within(spring.at_a, limits::kLengthMax) || !within(spring.at_b, limits::kLengthMax)) {
    return problem_at("at_a", " and at_b must be finite, at most 1e12");
  }
  return spring_numbers_problem(spring.stiffness, spring.damping, spring.rest_length);
}

Problem tether_problem(const TetherDef& tether, const Scene& scene) {
  if (Problem p = no_such_body("body", tether.body, scene)) return p;
  if (!within(tether.at, limits::kLengthMax) || !within(tether.anchor, limits::kLengthMax)) {
    return problem_at("at", " and anchor must be finite, at most 1e12");
  }
  return spring_numbers_problem(tether.stiffness, tether.damping, tether.rest_length);
}

// The messages of script_problem() contain these numbers.
static_assert(limits::kScriptPeriodMax == 1'000'000);
static_assert(limits::kAccelerationMax == 1e9);

Problem script_problem(const ScriptDef& script, const Scene& scene) {
  using namespace limits;
  if (Problem p = no_such_body("body", script.body, scene)) return p;
  if (scene.shapes.empty()) return Error{"only scenes with shapes have scripts"};
  if (!is_dynamic(scene.bodies[script.body].kind))
    return problem_at("body", " must be rigid or a point");
  if (script.period < 1 || script.period > kScriptPeriodMax) {
    return problem_at("period", " must be from 1 to 1000000 ticks");
  }
  if (!within(script.centre, kLengthMax) || !within(script.range, 0, kLengthMax) ||
      !within(script.reach, 0, kLengthMax)) {
    return problem_at("centre",
                      ", range and reach must be finite, at most 1e12; the last two not negative");
  }
  if (Problem p = between("frequency", script.frequency, 1e-6, 1e6, "1e-6 to 1e6")) return p;
  if (!within(script.acceleration_max, 0, kAccelerationMax) ||
      !within(script.pull, 0, kAccelerationMax)) {
    return problem_at("acceleration_max", " and pull must be from 0 to 1e9");
  }
  return {};
}

// The messages of coordinate_problem() contain these numbers.
static_assert(limits::kForceMax == 1e24);

// Checks the limits, spring and motor of a joint. They act on the coordinate that the kind of joint
// leaves free, for example the angle of a hinge.
Problem coordinate_problem(const JointDef& joint) {
  const physics::JointTraits& traits = physics::traits_of(joint.kind);
  const bool any = joint.limited || joint.frequency != 0 || joint.motor_max != 0;
  if (!traits.moves && any) {
    return Error{std::string("a ") + traits.name +
                 " cannot have limits, a spring or a motor: it leaves no motion free"};
  }
  const auto possible = [&](double value) { return within(value, traits.least, traits.most); };
  if (!possible(joint.lower) || !possible(joint.upper)) {
    return Error::at("lower", std::string(" and upper must be from ") + traits.range);
  }
  if (joint.limited && joint.lower > joint.upper)
    return problem_at("lower", " must be at most upper");
  if (!possible(joint.rest)) return Error::at("rest", std::string(" must be from ") + traits.range);
  if (joint.frequency != 0 && !within(joint.frequency, 1e-6, 1e6)) {
    return problem_at("frequency", " must be 0, or from 1e-6 to 1e6");
  }
  if (Problem p = between("damping_ratio", joint.damping_ratio, 0, 1e6, "0 to 1e6")) return p;
  if (Problem p = between("motor_max", joint.motor_max, 0, limits::kForceMax, "0 to 1e24"))
    return p;
  Problem p = between("break_force", joint.break_force, 0, limits::kForceMax, "0 to 1e24");
  if (!p) p = between("break_torque", joint.break_torque, 0, limits::kForceMax, "0 to 1e24");
  if (p) return p;
  const double fastest = traits.is_angle ? limits::kAngularSpeedMax : limits::kSpeedMax;
  if (within(joint.motor_speed, fastest)) return {};
  return problem_at("motor_speed", traits.is_angle ? " must be within 1e6" : " must be within 1e9");
}

Problem joint_problem(const JointDef& joint, const Scene& scene) {
  if (Problem p = no_such_body("a", joint.a, scene)) return p;
  if (Problem p = no_such_body("b", joint.b, scene)) return p;
  if (joint.a == joint.b) return problem_at("a", " and b must be two bodies");
  if (!is_dynamic(scene.bodies[joint.a].kind) && !is_dynamic(scene.bodies[joint.b].kind)) {
    return Error{"one of a and b must be rigid or a point: nothing can push the others"};
  }
  if (!within(joint.at_a, limits::kLengthMax) || !within(joint.at_b, limits::kLengthMax)) {
    return problem_at("at_a", " and at_b must be finite, at most 1e12");
  }
  if (!within(joint.axis, limits::kLengthMax) || !(length(joint.axis) >= 1e-6)) {
    return problem_at("axis", " must be finite, at most 1e12 and at least 1e-6 long");
  }
  return coordinate_problem(joint);
}

// The messages of time_problem() contain these numbers.
static_assert(limits::kTickRateMax == 1000 && limits::kSubstepsMax == 64);
static_assert(limits::kTickTimeMin == 1e-9 && limits::kTickTimeMax == 1e6);

Problem time_problem(const Scene& scene) {
  if (scene.tick_rate < 1 || scene.tick_rate > limits::kTickRateMax) {
    return problem_at("tick_rate", " must be from 1 to 1000");
  }
  const bool given = scene.tick_time_numerator != 0 || scene.tick_time_denominator != 0;
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (given && (scene.tick_time_numerator < 1 || scene.tick_time_numerator > kExact ||
                scene.tick_time_denominator < 1 || scene.tick_time_denominator > kExact)) {
    return problem_at("tick_time", " must be a ratio of integers from 1 to 2^53");
  }
  if (Problem p = between("tick_time", tick_time(scene), limits::kTickTimeMin, limits::kTickTimeMax,
                          "1e-9 to 1e6"))
    return p;
  if (scene.substeps < 1 || scene.substeps > limits::kSubstepsMax) {
    return problem_at("substeps", " must be from 1 to 64");
  }
  return {};
}

Problem command_limits_problem(const physics::CommandLimits& most) {
  using namespace limits;
  Problem p =
      between("command_acceleration_max", most.acceleration_max, 0, kAccelerationMax, "0 to 1e9");
  if (!p) {
    p = between("command_angular_acceleration_max", most.angular_acceleration_max, 0,
                kAccelerationMax, "0 to 1e9");
  }
  if (!p) p = between("command_speed_max", most.speed_max, 0, kSpeedMax, "0 to 1e9");
  return p ? p : between("command_spin_max", most.spin_max, 0, kAngularSpeedMax, "0 to 1e6");
}

Problem world_problem(const Scene& scene) {
  if (needs_contact_solver(scene) && scene.integrator != Integrator::semi_implicit_euler) {
    return problem_at("integrator",
                      " must be semi-implicit-euler in a scene with shapes, joints or kinematic "
                      "bodies");
  }
  if (scene.sleeping && scene.shapes.empty()) {
    return problem_at("sleeping",
                      " must be false in a scene without shapes: only bodies that touch can sleep");
  }
  if (scene.sleeping && scene.gravitational_constant != 0) {
    return problem_at(
        "sleeping",
        " must be false in a scene with a gravitational_constant: attraction keeps all "
        "bodies moving");
  }
  if (Problem p = events_problem(scene)) return p;
  using namespace limits;
  if (!within(scene.gravity, kAccelerationMax)) {
    return problem_at("gravity", " must be finite, at most 1e9");
  }
  Problem p = between("gravitational_constant", scene.gravitational_constant, 0, kCoefficientMax,
                      "0 to 1e18");
  if (!p) p = between("softening", scene.softening, 0, kLengthMax, "0 to 1e12");
  if (!p) p = between("grab_frequency", scene.grab_frequency, 1e-6, 1e6, "1e-6 to 1e6");
  const double most = kAccelerationMax;
  if (!p) p = between("grab_acceleration_max", scene.grab_acceleration_max, 0, most, "0 to 1e9");
  if (!p) p = between("interest_radius", scene.interest_radius, 0, kLengthMax, "0 to 1e12");
  if (!p) p = between("absence_max", scene.absence_max, 0, 1e9, "0 to 1e9 seconds");
  if (!p) p = between("commands_per_tick", scene.commands_per_tick, 1, kCommandRateMax, "1 to 16");
  if (p) return p;
  if (scene.snapshot_position_step != 0 && !within(scene.snapshot_position_step, 1e-9, 1e9)) {
    return problem_at("snapshot_position_step", " must be 0, or from 1e-9 to 1e9");
  }
  if (scene.snapshot_orientation_bits < 6 || scene.snapshot_orientation_bits > 15) {
    return problem_at("snapshot_orientation_bits", " must be from 6 to 15");
  }
  return command_limits_problem(scene.command_limits);
}

// The messages of size_problem() contain these numbers.
static_assert(limits::kBodiesMax == 1048576 && limits::kGravitatingBodiesMax == 2048);
static_assert(limits::kSpringsMax == 4194304 && limits::kScriptsMax == 64);
static_assert(limits::kJointsMax == 131072 && limits::kKeysMax == 64);

Problem size_problem(const Scene& scene) {
  const std::uint64_t most = std::uint64_t{scene.bodies.size()} + scene.spare_bodies;
  if (scene.bodies.empty()) return Error{"a scene needs at least one body"};
  if (most > limits::kBodiesMax)
    return problem_at("bodies", " and spare_bodies together must be at most 1048576");
  if (scene.springs.size() > limits::kSpringsMax || scene.tethers.size() > limits::kSpringsMax) {
    return problem_at("springs", " and tethers must be at most 4194304 each");
  }
  if (scene.scripts.size() > limits::kScriptsMax)
    return problem_at("scripts", " must be at most 64");
  if (scene.joints.size() > limits::kJointsMax)
    return problem_at("joints", " must be at most 131072");
  if (scene.keys.size() > limits::kKeysMax) return problem_at("keys", " must be at most 64");
  if (scene.gravitational_constant != 0 && most > limits::kGravitatingBodiesMax) {
    return Error{"with mutual gravity bodies and spare_bodies together must be at most 2048",
                 ErrorCode::invalid,
                 {.key = "bodies"}};
  }
  if (!scene.names.empty() && scene.names.size() != scene.bodies.size()) {
    return problem_at("names", " must be none, or one for each body");
  }
  return {};
}

// The messages of text_problem() contain these numbers.
static_assert(limits::kNameBytesMax == 64);
static_assert(limits::kDescriptionBytesMax == 400);

// Allows printable ASCII only: names appear on terminals and in file names.
bool is_text(const std::string& text, std::size_t size_max) {
  return text.size() <= size_max &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

Problem text_problem(const Scene& scene) {
  if (!is_text(scene.name, limits::kNameBytesMax)) {
    return problem_at("name", " must be at most 64 printable ASCII characters");
  }
  if (!is_text(scene.about, limits::kDescriptionBytesMax)) {
    return problem_at("about", " must be at most 400 printable ASCII characters");
  }
  const auto fault = [](const char* kind, std::size_t i) {
    return Error::at("name", " must be at most 64 printable ASCII characters").in_item(kind, i);
  };
  for (std::size_t i = 0; i < scene.names.size(); ++i) {
    if (!is_text(scene.names[i], limits::kNameBytesMax)) return fault("body", i);
  }
  for (std::size_t i = 0; i < scene.joints.size(); ++i) {
    if (!is_text(scene.joints[i].name, limits::kNameBytesMax)) return fault("joint", i);
  }
  return {};
}

// The messages of shape_sizes_problem() contain these numbers.
static_assert(limits::kShapesMax == 1048576 && limits::kScenePartsMax == 1048576);
static_assert(limits::kShapePointsMax == 2097152);

Problem shape_sizes_problem(const Scene& scene) {
  std::size_t parts = 0;
  std::size_t points = 0;
  for (const physics::ShapeDef& shape : scene.shapes) {
    parts += shape.parts.size();
    for (const physics::PartDef& part : shape.parts) {
      points += part.points.size() + part.triangles.size() + part.heights.size();
    }
  }
  if (scene.shapes.size() > limits::kShapesMax || parts > limits::kScenePartsMax) {
    return problem_at("shapes", " and their parts must be at most 1048576 each");
  }
  if (points > limits::kShapePointsMax) {
    return problem_at("shapes",
                      ": all points, triangles and heights must be at most 2097152 together");
  }
  return {};
}

Problem body_shape_problem(const BodyDef& body, const physics::ShapeSet& shapes) {
  if (body.shape == physics::kNoShape) return {};
  if (body.shape >= shapes.size()) {
    return Error::at("shape", ": there is no shape " + std::to_string(body.shape) +
                                  "; the scene has " + std::to_string(shapes.size()));
  }
  if (body.kind != BodyKind::anchor && !shapes.shape(body.shape).movable) {
    return problem_at("shape",
                      ": it has a plane, height_field or mesh, which only anchors may have");
  }
  return {};
}

}  // namespace

bool needs_contact_solver(const Scene& scene) {
  return !scene.shapes.empty() || !scene.joints.empty() ||
         std::any_of(scene.bodies.begin(), scene.bodies.end(),
                     [](const BodyDef& body) { return body.kind == BodyKind::kinematic; });
}

double tick_time(const Scene& scene) {
  if (scene.tick_time_numerator == 0) return 1.0 / scene.tick_rate;
  return static_cast<double>(scene.tick_time_numerator) /
         static_cast<double>(scene.tick_time_denominator);
}

Result<physics::ShapeSet> make_shapes(const Scene& scene) {
  if (Problem p = shape_sizes_problem(scene)) return *p;
  physics::ShapeSet set;
  for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
    const Result<std::uint32_t> added = set.add(scene.shapes[i]);
    if (!added) return added.error().in_item("shape", i);
  }
  return set;
}

Vec3 half_extents_of(const physics::ShapeSet& shapes, std::uint32_t shape) {
  ORRERY_ASSERT(shape < shapes.size());
  Vec3 e;
  for (const physics::Part& part : shapes.parts(shape)) {
    const physics::Aabb box = physics::bounds(shapes, part, {});
    e = physics::greater(e, physics::greater(box.upper, -box.lower));
  }
  return e;
}

Status validate(const Scene& scene) {
  Problem p = size_problem(scene);
  if (!p) p = text_problem(scene);
  if (!p) p = time_problem(scene);
  if (!p) p = world_problem(scene);
  if (!p) p = first_problem("body", scene.bodies, body_problem);
  const auto with_scene = [&](auto problem) {
    return [&scene, problem](const auto& def) { return problem(def, scene); };
  };
  if (!p) p = first_problem("spring", scene.springs, with_scene(spring_problem));
  if (!p) p = first_problem("tether", scene.tethers, with_scene(tether_problem));
  if (!p) p = first_problem("script", scene.scripts, with_scene(script_problem));
  if (!p) p = first_problem("joint", scene.joints, with_scene(joint_problem));
  if (!p) p = first_problem("key", scene.keys, with_scene(key_problem));
  if (p) return *p;
  const Result<physics::ShapeSet> shapes = make_shapes(scene);
  if (!shapes) return shapes.error();
  p = first_problem("body", scene.bodies,
                    [&](const BodyDef& b) { return body_shape_problem(b, shapes.value()); });
  if (p) return *p;
  return check_methods(scene);
}

}  // namespace orrery

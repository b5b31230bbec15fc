// Generates valid random scenes of every kind that the format allows. Invalid results are discarded
// and drawn again.
#include "tests/fuzz/attack/random_scene.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "common/core/limits.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scene_parts.h"
#include "tests/fuzz/attack/choices.h"
#include "tests/fuzz/attack/random_shape.h"
#include "tests/support/colliding_bodies.h"
#include "tests/support/session.h"
#include "tests/support/worlds.h"

namespace orrery::attack {
namespace {

using test::any_amount;
using test::any_vector;

// Returns `least` times a random power of two, at most `most`. Every magnitude is equally likely.
double any_size(SplitMix64& draw, double least, double most) {
  const auto powers = static_cast<std::uint32_t>(std::ilogb(most / least)) + 1;
  return std::ldexp(least, static_cast<int>(draw.below(powers)));
}

// --- scenes with collision ---

// Adds shapes and returns a template body for each. The first is the ground.
std::vector<BodyDef> add_shapes(SplitMix64& draw, Scene& scene) {
  std::vector<BodyDef> like;
  const std::uint32_t count = 2 + draw.below(6);
  while (like.size() < count) {
    const bool ground = like.empty();
    physics::ShapeDef shape = any_shape(draw, ground && !one_in(draw, 4));
    if (ground && shape.parts[0].kind == physics::ShapeKind::box)
      shape.parts[0].half_extents = {8, 1, 8};
    if (!physics::ShapeSet().add(shape)) continue;  // the points of a hull are nearly coplanar
    scene.shapes.push_back(std::move(shape));
    BodyDef body = shaped_body(scene, static_cast<std::uint32_t>(like.size()), {});
    if (ground) {
      const std::uint32_t own = body.shape;
      body = BodyDef{};
      body.kind = BodyKind::anchor;
      body.control = Control::nobody;
      body.shape = own;
    }
    like.push_back(body);
  }
  return like;
}

BodyDef any_touching_body(SplitMix64& draw, const std::vector<BodyDef>& like, double world) {
  BodyDef body = like[1 + draw.below(static_cast<std::uint32_t>(like.size() - 1))];
  if (one_in(draw, 4)) {
    const std::uint32_t shape = one_in(draw, 3) ? physics::kNoShape : body.shape;
    body = test::any_body(draw);
    body.shape = shape;
  }
  constexpr BodyKind kKinds[] = {BodyKind::point, BodyKind::anchor, BodyKind::kinematic};
  if (one_in(draw, 5)) body.kind = kKinds[draw.below(3)];
  if (body.kind == BodyKind::anchor && coin(draw)) body.shape = like[0].shape;
  body.control = static_cast<Control>(draw.below(3));
  body.owner = draw.below(9);
  body.position = test::draw(draw, world);
  body.position.y += world;
  if (coin(draw)) body.orientation = test::draw_orientation(draw);
  if (coin(draw)) body.velocity = test::draw(draw, one_in(draw, 8) ? 100 : 3);
  if (coin(draw)) body.angular_velocity = test::draw(draw, 4);
  if (one_in(draw, 5)) body.linear_drag = any_amount(draw, 2);
  if (one_in(draw, 5)) body.quadratic_drag = any_amount(draw, 2);
  return body;
}

// Returns a generator of more draws. `draw` stays as it is, and so do the scenes of a seed.
SplitMix64 later_draws(SplitMix64 draw) { return SplitMix64(~draw.next()); }

void set_coordinate(SplitMix64& draw, JointDef& joint) {
  const double least = physics::traits_of(joint.kind).least < 0 ? -2.5 : 0;
  joint.limited = coin(draw);
  joint.lower = between(draw, least, 2.5);
  joint.upper = between(draw, joint.lower, 2.5);
  if (coin(draw)) joint.frequency = between(draw, 0.5, 10);
  joint.damping_ratio = any_amount(draw, 2);
  joint.rest = between(draw, least, 2.5);
  if (coin(draw)) joint.motor_max = any_amount(draw, 100);
  joint.motor_speed = 5 * draw.symmetric();
}

// Returns two different bodies of a scene.
std::pair<std::uint32_t, std::uint32_t> any_two(SplitMix64& draw, const Scene& scene) {
  const auto count = static_cast<std::uint32_t>(scene.bodies.size());
  const std::uint32_t a = draw.below(count);
  const std::uint32_t step = 1 + draw.below(coin(draw) ? 1 : count - 1);
  return {a, (a + step) % count};
}

void add_joints(SplitMix64& draw, Scene& scene) {
  const auto most = std::min<std::size_t>(scene.bodies.size(), 24);
  for (std::uint32_t i = 1 + draw.below(static_cast<std::uint32_t>(most)); i > 0; --i) {
    JointDef joint;
    std::tie(joint.a, joint.b) = any_two(draw, scene);
    const BodyDef& a = scene.bodies[joint.a];
    const BodyDef& b = scene.bodies[joint.b];
    if (!is_dynamic(a.kind) && !is_dynamic(b.kind)) continue;
    joint.kind = static_cast<physics::JointKind>(draw.below(physics::kJointKinds));
    joint.collides = coin(draw);
    joint.at_a = 0.5 * (b.position - a.position);
    joint.at_b = coin(draw) ? -joint.at_a : test::draw(draw, 0.5);
    joint.axis = test::draw(draw, 1);
    if (physics::traits_of(joint.kind).moves) set_coordinate(draw, joint);
    SplitMix64 later = later_draws(draw);
    if (one_in(later, 3)) joint.break_force = any_amount(later, 1e3);
    if (one_in(later, 4)) joint.break_torque = any_amount(later, 1e3);
    scene.joints.push_back(joint);
  }
}

void add_springs(SplitMix64& draw, Scene& scene) {
  for (std::uint32_t i = draw.below(4); i > 0; --i) {
    const auto [a, b] = any_two(draw, scene);
    scene.springs.push_back({a, b, any_vector(draw, 1), any_vector(draw, 1), any_amount(draw, 50),
                             any_amount(draw, 2), any_amount(draw, 2)});
    scene.tethers.push_back({a, any_vector(draw, 1), any_vector(draw, 5), any_amount(draw, 50),
                             any_amount(draw, 2), any_amount(draw, 1)});
  }
}

void add_scripts(SplitMix64& draw, Scene& scene) {
  const auto count = static_cast<std::uint32_t>(scene.bodies.size());
  for (std::uint32_t i = draw.below(3); i > 0; --i) {
    const std::uint32_t body = draw.below(count);
    if (!is_dynamic(scene.bodies[body].kind)) continue;
    ScriptDef script;
    script.body = body;
    script.seed = draw.next();
    script.period = 1 + draw.below(40);
    script.centre = test::draw(draw, 3);
    script.range = any_amount(draw, 5);
    script.frequency = between(draw, 0.1, 2);
    script.reach = any_amount(draw, 3);
    script.pull = any_amount(draw, 20);
    scene.scripts.push_back(script);
  }
}

// Number of bodies of a small scene with sleep. With few neighbours they fall asleep soon.
constexpr std::uint32_t kFewBodies = 3;

Scene touching_scene(SplitMix64& draw) {
  Scene scene;
  use_contacts(scene);
  scene.substeps = 1 + draw.below(6);
  scene.gravity = {0, -10, 0};
  if (one_in(draw, 4)) scene.gravity = any_vector(draw, 20);
  if (one_in(draw, 6)) scene.gravitational_constant = any_amount(draw, 1e-3);
  scene.softening = any_amount(draw, 1);
  scene.sleeping = scene.gravitational_constant == 0 && !one_in(draw, 3);
  const std::vector<BodyDef> like = add_shapes(draw, scene);
  scene.bodies.push_back(like[0]);
  const bool crowd = one_in(draw, 12);
  std::uint32_t count = crowd ? 256 + draw.below(256) : 1 + draw.below(30);
  if (scene.sleeping && coin(draw)) count = 1 + draw.below(kFewBodies);
  const double world = crowd ? 12 : between(draw, 0.5, 4);  // in a small world bodies overlap
  for (std::uint32_t i = 0; i < count; ++i) {
    scene.bodies.push_back(any_touching_body(draw, like, world));
    if (!scene.sleeping || coin(draw)) continue;
    BodyDef& still = scene.bodies.back();  // this body falls asleep unless something hits it
    still.gravity_scale = 0;
    still.velocity = still.angular_velocity = {};
  }
  SplitMix64 later = later_draws(draw);
  scene.sleep_events = scene.sleeping && coin(later);
  if (coin(later)) scene.bounds_lower = {-3, -3, -3};
  if (one_in(later, 4)) scene.bounds_upper = {3, 3, 3};
  if (!one_in(draw, 6)) add_joints(draw, scene);
  if (coin(draw)) add_springs(draw, scene);
  if (coin(draw)) add_scripts(draw, scene);
  return scene;
}

// --- scenes without collision ---

// Returns a scene without collision. Consecutive values of `turn` use all integrators in turn.
Scene apart_scene(SplitMix64& draw, std::uint64_t turn) {
  Scene scene = test::any_scene(draw.next());
  const auto integrator = static_cast<Integrator>(turn % kIntegrators);
  scene.rotation = static_cast<physics::Rotation>(turn % physics::kRotations);
  if (has_negative_substeps(integrator))
    scene.rotation = coin(draw) ? physics::Rotation::cayley : physics::Rotation::dropped;
  scene = test::scene_for(integrator, std::move(scene));
  if (coin(draw)) scene.gravitational_constant = 0;
  if (one_in(draw, 8)) {
    const std::uint32_t count = 256 + draw.below(512);
    while (scene.bodies.size() < count) scene.bodies.push_back(test::any_body(draw));
    scene.names.clear();
    scene.gravitational_constant = 0;
    scene = test::scene_for(integrator, std::move(scene));
  }
  if (one_in(draw, 4)) {
    scene.springs.clear();
    scene.tethers.clear();
  }
  return scene;
}

// --- all scenes ---

void set_times(SplitMix64& draw, Scene& scene) {
  constexpr std::uint32_t kRates[] = {1, 2, 10, 60, 240, 1000};
  scene.tick_rate = coin(draw) ? 1 + draw.below(60) : kRates[draw.below(6)];
  // In a slow scene with sleep, a body falls asleep after few ticks.
  const bool slow = scene.sleeping && (scene.bodies.size() <= 1 + kFewBodies || coin(draw));
  if (slow) scene.tick_rate = 1 + draw.below(3);
  // Without a numerator a tick lasts as long as the rate says.
  if (one_in(draw, slow ? 8 : 2)) {
    scene.tick_time_numerator = 1 + draw.below(5);
    scene.tick_time_denominator = 30 + draw.below(400);
  }
  scene.spare_bodies = draw.below(20);
  scene.grab_frequency = between(draw, 0.1, 10);
  scene.grab_acceleration_max = any_amount(draw, 500);
  if (one_in(draw, 4)) scene.interest_radius = any_amount(draw, 10);
}

void set_command_limits(SplitMix64& draw, Scene& scene) {
  if (coin(draw)) return;
  scene.command_limits = {any_amount(draw, 100), any_amount(draw, 100), any_amount(draw, 50),
                          any_amount(draw, 50)};
  scene.command_excess = static_cast<Excess>(draw.below(2));
}

// Gives one number or vector of the scene a random magnitude in its range.
void stretch(SplitMix64& draw, Scene& scene) {
  using namespace limits;
  BodyDef& body = scene.bodies[draw.below(static_cast<std::uint32_t>(scene.bodies.size()))];
  switch (draw.below(9)) {
    case 0:
      body.mass = any_size(draw, kMassMin, kMassMax);
      break;
    case 1: {
      const double inertia = any_size(draw, kInertiaMin, kInertiaMax);
      body.inertia = {inertia, inertia, inertia};
      break;
    }
    case 2:
      body.position = any_vector(draw, any_size(draw, 1, kLengthMax));
      break;
    case 3:
      body.velocity = any_vector(draw, any_size(draw, 1, kSpeedMax));
      break;
    case 4:
      body.angular_velocity = any_vector(draw, any_size(draw, 1, kAngularSpeedMax));
      break;
    case 5:
      scene.gravity = any_vector(draw, any_size(draw, 1e-9, kAccelerationMax));
      break;
    case 6:
      scene.substeps = 1 + draw.below(kSubstepsMax / 4);
      break;
    case 7:
      if (!scene.springs.empty()) {
        scene.springs[0].stiffness = any_size(draw, 1e-9, kCoefficientMax);
      }
      break;
    default:
      if (!scene.tethers.empty()) {
        scene.tethers[0].stiffness = any_size(draw, 1e-9, kCoefficientMax);
      }
      break;
  }
}

}  // namespace

Scene random_scene(std::uint64_t seed) {
  SplitMix64 draw(seed);
  constexpr int kTriesMax = 1000;
  for (int i = 0; i < kTriesMax; ++i) {
    Scene scene = seed % 4 == 0 ? apart_scene(draw, seed / 4) : touching_scene(draw);
    scene.name = "seed-" + std::to_string(seed);
    set_times(draw, scene);
    if (one_in(draw, 4)) {
      for (std::uint32_t k = 1 + draw.below(4); k > 0; --k) stretch(draw, scene);
    }
    set_command_limits(draw, scene);
    if (validate(scene).ok()) return scene;
  }
  ORRERY_ASSERT(false);
  return {};
}

void count_kinds(const Scene& scene, Counts& counts) {
  const auto count = [&](const std::string& name, std::size_t found) { counts[name] += found; };
  constexpr const char* kBodies[] = {"rigid", "point", "anchor", "kinematic"};
  constexpr const char* kShapes[] = {"sphere", "capsule",      "box", "hull",
                                     "plane",  "height field", "mesh"};
  for (const char* name : kBodies) count(std::string("body: ") + name, 0);
  for (const char* name : kShapes) count(std::string("part: ") + name, 0);
  const auto joint_name = [](std::size_t kind) {
    return std::string("joint: ") + physics::traits_of(static_cast<physics::JointKind>(kind)).name;
  };
  for (std::size_t i = 0; i < physics::kJointKinds; ++i) count(joint_name(i), 0);
  const auto index = [](auto kind) { return static_cast<std::size_t>(kind); };
  for (const BodyDef& body : scene.bodies) {
    count(std::string("body: ") + kBodies[index(body.kind)], 1);
  }
  for (const physics::ShapeDef& shape : scene.shapes) {
    for (const physics::PartDef& part : shape.parts) {
      count(std::string("part: ") + kShapes[index(part.kind)], 1);
    }
  }
  for (const JointDef& joint : scene.joints) {
    count(joint_name(index(joint.kind)), 1);
  }
  for (const std::string_view name : integrator_names()) {
    count("scene: " + std::string(name), name == name_of(scene.integrator) ? 1 : 0);
  }
  for (const std::string_view name : rotation_names()) {
    count("scene: rotation " + std::string(name), name == name_of(scene.rotation) ? 1 : 0);
  }
  count("scene: joints", !scene.joints.empty());
  count("scene: springs", !scene.springs.empty());
  count("scene: tethers", !scene.tethers.empty());
  count("scene: scripts", !scene.scripts.empty());
  count("scene: sleeping", scene.sleeping);
  count("scene: refuses commands beyond its limits", scene.command_excess == Excess::refuse);
  count("scene: mutual gravity", scene.gravitational_constant != 0);
  count("scene: hundreds of bodies", scene.bodies.size() > 200);
}

}  // namespace orrery::attack

// Checks that bodies cross the seams of coplanar neighbours as one plane, and stop at real steps.
#include <cmath>

#include "tests/field/bodies.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

enum class Seam { boxes, meshes, fields, parts, mixed, bodies };
constexpr const char* kSeams[] = {"boxes",           "meshes",       "height fields",
                                  "parts of a body", "box and mesh", "bodies at rest"};

physics::PartDef field(double x) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::height_field;
  part.columns = 5;
  part.spacing = x / 4;
  part.heights.assign(25, 0.0);
  part.material.friction = 0;
  return part;
}

// Adds neighbours with their tops at y = 0 that meet at x = 1, 3, 5 and reach from -1 to 7.
void add_neighbours(Scene& scene, Seam seam) {
  const physics::PartDef piece = with(box({1, 0.5, 2}), 0);
  const physics::PartDef surface = with(sheet(1, 2, 2, 2), 0);
  if (seam == Seam::parts) {
    physics::ShapeDef shape;
    for (int i = 0; i < 4; ++i) {
      shape.parts.push_back(piece);
      shape.parts.back().pose.position = {2.0 * i, -0.5, 0};
    }
    scene.shapes.push_back(shape);
    BodyDef body = shaped_body(scene, 0, {});
    body.kind = BodyKind::anchor;
    scene.bodies.push_back(body);
    return;
  }
  for (int i = 0; i < 4; ++i) {
    const bool is_mesh = seam == Seam::meshes || (seam == Seam::mixed && i % 2 == 1);
    if (seam == Seam::fields) {
      add_fixed(scene, field(2), {2.0 * i - 1, 0, -1});
    } else if (is_mesh) {
      add_fixed(scene, surface, {2.0 * i, 0, 0});
    } else if (seam == Seam::bodies) {
      add(scene, piece, {2.0 * i, -0.5, 0}, BodyKind::kinematic);
    } else {
      add_fixed(scene, piece, {2.0 * i, -0.5, 0});
    }
  }
}

// A body without friction slides over the seams at a speed, turned about y by an angle.
void check_slide(Suite& suite, Seam seam, Convex kind, double speed, double yaw,
                 const Variation& v) {
  Scene scene = earthly();
  add_neighbours(scene, seam);
  const std::uint32_t body = add(scene, with(convex(kind, 0.25), 0), {0, 0.25, 0.013});
  BodyDef& b = scene.bodies[body];
  b.velocity = {speed, 0, 0};
  b.orientation = turn({0, 1, 0}, yaw);
  if (kind == Convex::capsule) {  // it lies
    b.orientation = b.orientation * turn({1, 0, 0}, kPi / 2);
    b.position.y = 0.125;
  }
  Trial trial(scene, v);
  trial.run(5.5 / speed);
  const BodyMotion m = trial.motion(body);
  const std::string name = named(text("seams: %s at %g m/s, turned by %g, over %s", name_of(kind),
                                      speed, yaw, kSeams[static_cast<int>(seam)]),
                                 v);
  suite.near(name, length(m.velocity - Vec3{speed, 0, 0}) / speed, 0, 1e-3);
  suite.near(name + ": turning", length(m.angular_velocity), 0, 1e-3 * speed / 0.25);
}

// A ball with friction rolls over the seams.
void check_roll(Suite& suite, Seam seam, double speed, const Variation& v) {
  Scene scene = earthly();
  add_neighbours(scene, seam);
  for (physics::ShapeDef& shape : scene.shapes) {
    for (physics::PartDef& part : shape.parts) part.material.friction = 0.5;
  }
  const std::uint32_t body = add(scene, ball(0.25), {0, 0.25, 0.013});
  scene.bodies[body].velocity = {speed, 0, 0};
  scene.bodies[body].angular_velocity = {0, 0, -speed / 0.25};
  Trial trial(scene, v);
  trial.run(5.5 / speed);
  suite.near(
      named(text("seams: ball rolls at %g m/s over %s", speed, kSeams[static_cast<int>(seam)]), v),
      length(trial.velocity(body) - Vec3{speed, 0, 0}) / speed, 0, 1e-3);
}

// A step stops a body that runs against it.
void check_step(Suite& suite, Convex kind, double height, const Variation& v) {
  Scene scene = earthly();
  add_fixed(scene, with(box({1, 0.5, 2}), 0), {0, -0.5, 0});
  add_fixed(scene, with(box({1, 0.5, 2}), 0), {2, -0.5 + height, 0});
  const std::uint32_t body = add(scene, with(convex(kind, 0.25), 0), {0, 0.25, 0});
  scene.bodies[body].velocity = {1, 0, 0};
  Trial trial(scene, v);
  trial.run(2);
  suite.at_most(named(text("seams: %s stops at a step of %g m", name_of(kind), height), v),
                trial.velocity(body).x, 0.1);
}

}  // namespace

void check_seams(Suite& suite) {
  for (const Seam seam :
       {Seam::boxes, Seam::meshes, Seam::fields, Seam::parts, Seam::mixed, Seam::bodies}) {
    for (const Convex kind : kConvex) {
      for (const double speed : {0.3, 1.0, 3.0, 10.0}) {
        check_slide(suite, seam, kind, speed, 0, {});
        if (kind != Convex::ball) check_slide(suite, seam, kind, speed, 0.6, {});
      }
    }
    for (const double speed : {0.3, 3.0, 10.0}) check_roll(suite, seam, speed, {});
    const bool flat = seam == Seam::boxes || seam == Seam::meshes;
    if (!suite.all() && !flat) continue;
    for (const Variation& v : variations(suite, 0.5)) {
      check_slide(suite, seam, Convex::box, 1, 0, v);
      check_roll(suite, seam, 3, v);
      if (suite.all()) check_slide(suite, seam, Convex::hull, 3, 0.6, v);
    }
  }
  for (const Variation& v : drifts(suite)) check_slide(suite, Seam::boxes, Convex::box, 1, 0, v);
  for (const Convex kind : {Convex::box, Convex::hull, Convex::cylinder}) {
    for (const double height : {0.05, 0.2}) check_step(suite, kind, height, {});
  }
}

}  // namespace orrery::field

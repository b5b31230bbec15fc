// The scenes `dice`, `pencils` and `cradle`: small things on a desk.
#include "common/core/rng.h"
#include "common/math/elementary.h"
#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

constexpr double kTurn = 2 * 3.14159265358979323846;

void add_desk(Scene& scene) {
  ORRERY_ASSERT(scene.names.empty());
  physics::PartDef plane;
  plane.kind = physics::ShapeKind::plane;
  BodyDef desk;
  desk.kind = BodyKind::anchor;
  desk.control = Control::nobody;
  desk.shape = add_shape(scene, plane);
  desk.half_extents = {};
  scene.bodies.push_back(desk);
}

// Adds a bowl as a mesh: y = r^2 / radius, in rings of triangles around the middle.
void add_bowl(Scene& scene, double radius) {
  constexpr std::uint32_t kRings = 10, kSides = 24;
  ORRERY_ASSERT(radius > 0);
  physics::PartDef bowl;
  bowl.kind = physics::ShapeKind::mesh;
  bowl.points.push_back({});
  for (std::uint32_t ring = 1; ring <= kRings; ++ring) {
    const double r = radius * ring / kRings;
    for (std::uint32_t side = 0; side < kSides; ++side) {
      const double angle = kTurn * side / kSides;
      bowl.points.push_back(
          {r * elementary::cos(angle), r * r / radius, r * elementary::sin(angle)});
    }
  }
  const auto corner = [](std::uint32_t ring, std::uint32_t side) {
    ORRERY_ASSERT(ring <= kRings);
    return ring == 0 ? 0 : 1 + (ring - 1) * kSides + side % kSides;
  };
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    for (std::uint32_t side = 0; side < kSides; ++side) {
      const std::uint32_t in[2] = {corner(ring, side), corner(ring, side + 1)};
      const std::uint32_t out[2] = {corner(ring + 1, side), corner(ring + 1, side + 1)};
      bowl.triangles.push_back({in[0], out[1], out[0]});
      if (ring > 0) bowl.triangles.push_back({in[0], in[1], out[1]});
    }
  }
  BodyDef body;
  body.kind = BodyKind::anchor;
  body.control = Control::nobody;
  body.shape = add_shape(scene, bowl);
  body.half_extents = {};
  scene.bodies.push_back(body);
}

Quat draw_orientation(SceneRandom& draw) {
  Quat q;  // w stays 1, so that the length is never near 0
  q.x = draw.next();
  q.y = draw.next();
  q.z = draw.next();
  return normalized(q);
}

// Adds an open box of 24 x 8 x 6 cm.
void add_pencil_box(Scene& scene) {
  ORRERY_ASSERT(scene.names.empty());
  constexpr double kWall = 0.005;  // half the thickness
  const Vec3 inside{0.12, 0.04, 0.03};
  add_block(scene, {inside.x, kWall, inside.z}, {0, kWall, 0});
  for (const double side : {-1.0, 1.0}) {
    add_block(scene, {kWall, inside.y, inside.z}, {side * (inside.x + kWall), inside.y, 0});
    add_block(scene, {inside.x, inside.y, kWall}, {0, inside.y, side * (inside.z + kWall)});
  }
}

// Adds a hexagonal pencil of 175 x 7 mm along x.
std::uint32_t add_pencil_shape(Scene& scene) {
  constexpr double kRadius = 0.0035;
  const double across = kRadius * square_root(0.75);
  physics::PartDef pencil;
  pencil.kind = physics::ShapeKind::hull;
  pencil.density = 700;
  for (const double x : {-0.0875, 0.0875}) {
    for (const double side : {-1.0, 1.0}) {
      pencil.points.push_back({x, side * kRadius, 0});
      pencil.points.push_back({x, side * kRadius / 2, across});
      pencil.points.push_back({x, side * kRadius / 2, -across});
    }
  }
  return add_shape(scene, pencil);
}

}  // namespace

// Dice of 16 mm fall into a bowl of 24 cm, nine in a layer.
Scene make_dice(std::uint32_t count) {
  ORRERY_ASSERT(count > 0);
  constexpr double kApart = 0.03;
  Scene scene;
  scene.name = "dice";
  use_contacts(scene);
  add_desk(scene);
  add_bowl(scene, 0.12);
  physics::PartDef part;
  part.kind = physics::ShapeKind::box;
  part.half_extents = {0.008, 0.008, 0.008};
  part.density = 1200;
  part.material.friction = 0.3;
  part.material.restitution = 0.3;
  BodyDef die = shaped_body(scene, add_shape(scene, part), {});
  SceneRandom draw;
  for (std::uint32_t i = 0; i < count; ++i) {
    die.position = {kApart * (i % 3) - kApart, 0.08 + kApart * (i / 9),
                    kApart * (i / 3 % 3) - kApart};
    die.position = die.position + draw_vector(draw, 0.001);
    die.orientation = draw_orientation(draw);
    scene.bodies.push_back(die);
  }
  return scene;
}

// Pencils fall into a box, four in a layer.
Scene make_pencils(std::uint32_t count) {
  ORRERY_ASSERT(count > 0);
  constexpr double kApart = 0.012;
  Scene scene;
  scene.name = "pencils";
  use_contacts(scene);
  add_desk(scene);
  add_pencil_box(scene);
  BodyDef pencil = shaped_body(scene, add_pencil_shape(scene), {});
  SceneRandom draw;
  for (std::uint32_t i = 0; i < count; ++i) {
    pencil.position = {0.02 * draw.next(), 0.05 + kApart * (i / 4), kApart * (i % 4) - 0.018};
    pencil.orientation = normalized({0, 0, 0.03 * draw.next(), 1});
    scene.bodies.push_back(pencil);
  }
  return scene;
}

// Newton's cradle: five balls of 4 cm on rods of 15 cm. The first starts at 45 degrees. Bodies
// bounce up to a tick of their motion before they touch. At 60 Hz that is nearly the radius of a
// ball.
Scene make_cradle(std::uint32_t) {
  constexpr double kRadius = 0.02, kLength = 0.15;
  constexpr std::uint32_t kBalls = 5;
  Scene scene;
  scene.name = "cradle";
  scene.tick_rate = 240;
  use_contacts(scene);
  physics::PartDef part;
  part.radius = kRadius;
  part.density = 7800;
  part.material.friction = 0;
  part.material.restitution = 1;
  BodyDef ball = shaped_body(scene, add_shape(scene, part), {});
  BodyDef frame = solid_box(1, {5 * kRadius, 0.1 * kRadius, 0.1 * kRadius}, {0, kLength, 0});
  frame.kind = BodyKind::anchor;
  frame.control = Control::nobody;
  scene.bodies.push_back(frame);
  for (std::uint32_t i = 0; i < kBalls; ++i) {
    const double x = 2 * kRadius * (i - 2.0);
    const double sine = i == 0 ? square_root(0.5) : 0;
    const double cosine = i == 0 ? square_root(0.5) : 1;
    ball.position = {x - kLength * sine, kLength - kLength * cosine, 0};
    scene.bodies.push_back(ball);
    JointDef rod;
    rod.kind = physics::JointKind::hinge;
    rod.a = 0;
    rod.b = i + 1;
    rod.at_a = {x, 0, 0};
    rod.at_b = {kLength * sine, kLength * cosine, 0};
    rod.axis = {0, 0, 1};
    scene.joints.push_back(rod);
  }
  return scene;
}

}  // namespace orrery

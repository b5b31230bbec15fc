// The scene `pinball`: steel balls on a tilted table with posts, and a rotor that throws them up.
#include "common/math/elementary.h"
#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

constexpr double kFullTurn = 2 * 3.14159265358979323846;
constexpr double kBallRadius = 0.027;  // of a ball
constexpr double kHalfWidth = 0.6;     // of the table, along x
constexpr double kTop = -1;            // its upper end, along z
constexpr double kPit = 0.32;          // radius of the pit in which the rotor turns
constexpr double kPitMiddle = 0.75;    // its place, along z
constexpr double kWallHeight = 0.06;   // half

// A point of the table, from above.
struct Place {
  double x;
  double z;
};

// Returns a wall from one point to another.
physics::PartDef wall(const Place& from, const Place& to) {
  constexpr double kHalfThickness = 0.02;
  const double x = to.x - from.x, z = to.z - from.z;
  const double length = square_root(x * x + z * z);
  ORRERY_ASSERT(length > kHalfThickness);
  physics::PartDef part;
  part.kind = physics::ShapeKind::box;
  part.half_extents = {length / 2 + kHalfThickness / 2, kWallHeight, kHalfThickness};
  part.pose.position = {(from.x + to.x) / 2, kWallHeight, (from.z + to.z) / 2};
  // The rotation about y that takes the x axis to the wall: half of the turn is halfway to it.
  part.pose.orientation = x + length > 0 ? normalized({0, -z, 0, x + length}) : Quat{0, 1, 0, 0};
  part.material.friction = 0.1;
  part.material.restitution = 0.6;
  return part;
}

void add_table(Scene& scene) {
  ORRERY_ASSERT(scene.bodies.empty());
  physics::ShapeDef table;
  physics::PartDef board;
  board.kind = physics::ShapeKind::box;
  board.half_extents = {kHalfWidth + 0.1, 0.05, 1.1};
  board.pose.position = {0, -0.05, 0.05};
  board.material.friction = 0.2;
  table.parts.push_back(board);
  constexpr std::uint32_t kPitSides = 8;
  std::vector<Place> corners = {
      {-kHalfWidth, 0.4}, {-kHalfWidth, kTop}, {kHalfWidth, kTop}, {kHalfWidth, 0.4}};
  for (std::uint32_t i = 0; i <= kPitSides; ++i) {
    const double angle = kFullTurn * i / (2 * kPitSides);
    corners.push_back({kPit * elementary::cos(angle), kPitMiddle + kPit * elementary::sin(angle)});
  }
  for (std::size_t i = 0; i < corners.size(); ++i) {
    table.parts.push_back(wall(corners[i], corners[(i + 1) % corners.size()]));
  }
  BodyDef body;
  body.kind = BodyKind::anchor;
  body.control = Control::nobody;
  body.shape = static_cast<std::uint32_t>(scene.shapes.size());
  body.half_extents = {};
  body.color = 0xc8d8c8;
  scene.shapes.push_back(std::move(table));
  scene.bodies.push_back(body);
}

// Adds five posts, hulls with 16 sides. Balls bounce off them with their whole speed.
void add_posts(Scene& scene) {
  ORRERY_ASSERT(scene.names.empty());
  constexpr std::uint32_t kSides = 16;
  physics::PartDef part;
  part.kind = physics::ShapeKind::hull;
  part.material.friction = 0.1;
  part.material.restitution = 1;
  for (std::uint32_t i = 0; i < kSides; ++i) {
    const double angle = kFullTurn * i / kSides;
    const double x = 0.06 * elementary::cos(angle), z = 0.06 * elementary::sin(angle);
    part.points.push_back({x, 0, z});
    part.points.push_back({x, 2 * kWallHeight, z});
  }
  BodyDef post = shaped_body(scene, add_shape(scene, std::move(part)), {});
  post.kind = BodyKind::anchor;
  post.control = Control::nobody;
  post.color = 0xcc4444;
  for (const Place& at :
       {Place{-0.3, -0.55}, {0.3, -0.55}, {0, -0.25}, {-0.3, 0.05}, {0.3, 0.05}}) {
    post.position = {at.x, kWallHeight, at.z};
    scene.bodies.push_back(post);
  }
}

// Adds two crossed blades that turn for ever. A ball has room between their tips and the wall: a
// blade that presses a ball against the wall throws it off the table.
void add_rotor(Scene& scene) {
  ORRERY_ASSERT(scene.names.empty());
  physics::ShapeDef cross;
  for (const Vec3& half : {Vec3{0.23, 0.025, 0.015}, Vec3{0.015, 0.025, 0.23}}) {
    physics::PartDef& blade = cross.parts.emplace_back();
    blade.kind = physics::ShapeKind::box;
    blade.half_extents = half;
    blade.material.restitution = 0.3;
  }
  scene.shapes.push_back(std::move(cross));
  const auto shape = static_cast<std::uint32_t>(scene.shapes.size() - 1);
  BodyDef rotor = shaped_body(scene, shape, {0, 0.03, kPitMiddle});
  rotor.kind = BodyKind::kinematic;
  rotor.control = Control::nobody;
  rotor.angular_velocity = {0, 8, 0};
  rotor.color = 0x4466cc;
  scene.bodies.push_back(rotor);
}

}  // namespace

Scene make_pinball(std::uint32_t) {
  constexpr std::uint32_t kBalls = 14;
  Scene scene;
  scene.name = "pinball";
  use_contacts(scene);
  scene.gravity = {0, -9.4, 2.4};  // the table is tilted by 14 degrees
  add_table(scene);
  add_posts(scene);
  add_rotor(scene);
  physics::PartDef part;
  part.radius = kBallRadius;
  part.density = 7800;
  part.material.friction = 0.2;
  part.material.restitution = 0.5;
  BodyDef ball = shaped_body(scene, add_shape(scene, std::move(part)), {});
  for (std::uint32_t i = 0; i < kBalls; ++i) {
    ball.position = {-0.397 + 0.06 * i, kBallRadius, -0.85 + 0.03 * (i % 2)};
    ball.velocity = {0.3 * (i * 7 % 5 - 2.0), 0, 0};
    scene.bodies.push_back(ball);
  }
  return scene;
}

}  // namespace orrery

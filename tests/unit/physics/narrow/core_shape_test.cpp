// Tests the faces and edges of the cores of a box and a triangle.
#include <gtest/gtest.h>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

const physics::Part kParts[] = {part_of(physics::ShapeKind::sphere, 0.5),
                                part_of(physics::ShapeKind::capsule, 0.2, {}, 0.4),
                                part_of(physics::ShapeKind::box, 0, {0.5, 0.3, 0.2})};

// Checks that every side of a face is an edge that names this face on its left or right. Also
// checks that faces turn counterclockwise, and that there are two sides for each edge.
void expect_closed(const physics::CoreShape& core) {
  std::size_t sides = 0;
  for (std::size_t f = 0; f < core.faces().size(); ++f) {
    const physics::HullFace& face = core.faces()[f];
    const auto corners = core.corners(face);
    sides += corners.size();
    Vec3 turn;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const std::uint8_t from = corners[i].vertex;
      const std::uint8_t to = corners[(i + 1) % corners.size()].vertex;
      const physics::HullEdge& edge = core.edges()[corners[i].edge];
      const bool along = edge.from == from && edge.to == to && edge.left == f;
      const bool against = edge.from == to && edge.to == from && edge.right == f;
      EXPECT_TRUE(along || against) << "face " << f << ", corner " << i;
      turn += cross(core.vertices()[from] - core.centre(), core.vertices()[to] - core.centre());
    }
    EXPECT_NEAR(dot(turn, core.normal(face)), length(turn), 1e-12 * length(turn));
  }
  EXPECT_EQ(sides, 2 * core.edges().size());
}

TEST(CoreShape, OfABoxIsClosed) {
  const physics::Part& box = kParts[2];
  const Pose pose{{1, 2, 3}, normalized(Quat{0.1, 0.2, 0.3, 0.4})};
  expect_closed({{}, physics::placed(box, pose, {})});
}

TEST(CoreShape, OfATriangleHasTwoFaces) {
  const physics::CoreShape core({Vec3{0, 0, 0}, Vec3{1, 0, 0.5}, Vec3{0, 2, 0}});
  for (const physics::HullFace& face : core.faces()) {
    Vec3 turn;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto corners = core.corners(face);
      turn +=
          cross(core.vertices()[corners[i].vertex], core.vertices()[corners[(i + 1) % 3].vertex]);
    }
    EXPECT_NEAR(dot(turn, core.normal(face)), length(turn), 1e-12);
  }
}

}  // namespace
}  // namespace orrery

// Tests which meshes and height fields are refused.
#include "common/physics/shape/triangle_mesh.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "common/physics/shape/shape.h"
#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

// Returns the height field y = height(x, z) of 20 x 20 cells of 0.3 m, for x and z from -3 to 3.
template <class Height>
physics::PartDef field(const Height& height) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::height_field;
  part.columns = 21;
  part.spacing = 0.3;
  part.pose.position = {-3, 0, -3};
  for (int i = 0; i < 21 * 21; ++i) {
    part.heights.push_back(height(0.3 * (i % 21) - 3, 0.3 * (i / 21) - 3));
  }
  return part;
}

// Returns the surface of a box as a mesh of twelve triangles.
physics::PartDef box_mesh(const Vec3& half) {
  physics::PartDef part;
  part.kind = physics::ShapeKind::mesh;
  for (int i = 0; i < 8; ++i) {
    part.points.push_back(
        {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  }
  part.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return part;
}

TEST(Surface, RefusesWhatIsNone) {
  physics::ShapeSet shapes;
  const auto message = [&](const physics::PartDef& part) {
    const auto added = shapes.add({{part}});
    return added ? std::string() : added.error().text();
  };
  physics::PartDef mesh = box_mesh({1, 1, 1});
  mesh.triangles.push_back({0, 1, 8});
  EXPECT_EQ(message(mesh), "part 0: triangle 12 must have vertices below 8");
  mesh.triangles.back() = {0, 1, 1};
  EXPECT_EQ(message(mesh), "part 0: triangle 12 must have an area, and must not be a needle");
  mesh.triangles.clear();
  EXPECT_EQ(message(mesh), "part 0: a mesh must have 1 to 1048576 triangles");
  physics::PartDef flat = field([](double, double) { return 0; });
  flat.columns = 20;
  EXPECT_NE(message(flat), "");
  flat.columns = 21;
  flat.heights[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message(flat), "part 0: heights must be within 1e9");
  flat.heights[5] = 0;
  flat.spacing = 0;
  EXPECT_EQ(message(flat), "part 0: spacing must be from 1e-6 to 1e9");
  EXPECT_EQ(shapes.size(), 0u);
  // A body with a surface must be fixed.
  EXPECT_FALSE(shapes.shape(shapes.add({{box_mesh({1, 1, 1})}}).value()).movable);
}

}  // namespace
}  // namespace orrery

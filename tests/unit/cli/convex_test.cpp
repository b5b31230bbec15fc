// Tests convex hulls and clipping.
#include "client/cli/render/picture/convex.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::cli {
namespace {

double area_of(const std::vector<Point>& polygon) {
  double area = 0;
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    area += turn(polygon[0], polygon[i - 1], polygon[i]) / 2;
  }
  return std::abs(area);
}

TEST(Convex, TheHullOfASquareWithPointsInsideIsTheSquare) {
  const auto hull = convex_hull({{0, 0}, {2, 2}, {4, 0}, {4, 4}, {1, 3}, {0, 4}, {2, 0}});
  EXPECT_EQ(hull.size(), 4u);
  EXPECT_DOUBLE_EQ(area_of(hull), 16);
}

TEST(Convex, TheHullOfALineHasTwoCorners) {
  EXPECT_EQ(convex_hull({{0, 0}, {1, 1}, {3, 3}, {2, 2}}).size(), 2u);
  EXPECT_EQ(convex_hull({{1, 1}, {1, 1}}).size(), 1u);
  EXPECT_TRUE(convex_hull({}).empty());
}

TEST(Convex, ClippingKeepsTheAreaInside) {
  const Rectangle to{{0, 0}, {10, 10}};
  const std::vector<Point> square{{-5, -5}, {5, -5}, {5, 5}, {-5, 5}};
  EXPECT_DOUBLE_EQ(area_of(clipped(square, to)), 25);
  const std::vector<Point> diamond{{5, -1}, {11, 5}, {5, 11}, {-1, 5}};  // cut at four corners
  EXPECT_NEAR(area_of(clipped(diamond, to)), 72 - 4, 1e-12);
  EXPECT_TRUE(clipped({{20, 20}, {30, 20}, {30, 30}}, to).empty());
  const std::vector<Point> around{{-1e9, -1e9}, {1e9, -1e9}, {1e9, 1e9}, {-1e9, 1e9}};
  EXPECT_NEAR(area_of(clipped(around, to)), 100, 1e-6);
}

}  // namespace
}  // namespace orrery::cli

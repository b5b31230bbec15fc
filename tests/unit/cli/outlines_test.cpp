// Tests the outlines of bodies against exact geometry.
#include "client/cli/render/picture/outlines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "client/cli/render/picture/picture.h"
#include "client/cli/render/picture/svg.h"

namespace orrery::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Returns the models of bodies with one part each, in the order of the parts. A body with a plane
// is fixed.
Models models_with(const std::vector<PartDef>& parts) {
  Scene scene;
  ShapeSet shapes;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    BodyDef body;
    body.shape = i;
    if (parts[i].kind == ShapeKind::plane) body.kind = BodyKind::anchor;
    scene.bodies.push_back(body);
    EXPECT_TRUE(shapes.add({{parts[i]}}));
  }
  return {scene, shapes};
}

PartDef part(ShapeKind kind) {
  PartDef part;
  part.kind = kind;
  return part;
}

DrawnBody body_at(const Vec3& position, const Quat& orientation = {}) {
  return {.id = BodyId{7},
          .prototype = 0,
          .pose = {position, orientation},
          .velocity = {},
          .angular_velocity = {}};
}

// Returns a view with ten pixels for a unit of length, and the origin at pixel (100, 50).
View view_along(Axis axis) { return {axis, {}, 10, 200, 100, 0}; }

std::vector<Outline> outlines(const Models& models, const DrawnBody& body, Axis axis = Axis::front,
                              Light light = Light::none) {
  return outlines_of(models, std::span(&body, 1), view_along(axis), light);
}

TEST(Outlines, ABallIsADisc) {
  PartDef ball = part(ShapeKind::sphere);
  ball.radius = 1.5;
  const auto seen = outlines(models_with({ball}), body_at({1, 2, 3}));
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].shape.points, (std::vector<Point>{{110, 30}}));
  EXPECT_DOUBLE_EQ(seen[0].shape.radius, 15);
  EXPECT_EQ(seen[0].body, BodyId{7});
  EXPECT_DOUBLE_EQ(seen[0].depth, 3);
}

TEST(Outlines, TheSideAndTheTopShowOtherCoordinates) {
  const Models models = models_with({part(ShapeKind::sphere)});
  const auto side = outlines(models, body_at({1, 2, 3}), Axis::side);
  EXPECT_EQ(side.at(0).shape.points, (std::vector<Point>{{70, 30}}));
  EXPECT_DOUBLE_EQ(side.at(0).depth, 1);
  const auto top = outlines(models, body_at({1, 2, 3}), Axis::top);
  EXPECT_EQ(top.at(0).shape.points, (std::vector<Point>{{110, 80}}));
  EXPECT_DOUBLE_EQ(top.at(0).depth, 2);
}

TEST(Outlines, FromSeenUndoesSeenAlong) {
  for (const Axis axis : {Axis::front, Axis::side, Axis::top}) {
    const Vec3 v{1, -2, 5};
    EXPECT_EQ(from_seen(axis, seen_along(axis, v)), v) << axis_name(axis);
  }
}

TEST(Outlines, ACapsuleHasTwoCentres) {
  PartDef capsule = part(ShapeKind::capsule);
  capsule.radius = 0.5;
  capsule.half_length = 2;
  const Quat quarter{0, 0, std::sqrt(0.5), std::sqrt(0.5)};  // about z: y becomes -x
  const auto seen = outlines(models_with({capsule}), body_at({}, quarter));
  ASSERT_EQ(seen.at(0).shape.points.size(), 2u);
  EXPECT_NEAR(seen[0].shape.points[0].x, 120, 1e-9);
  EXPECT_NEAR(seen[0].shape.points[1].x, 80, 1e-9);
  EXPECT_NEAR(seen[0].shape.points[1].y, 50, 1e-9);
}

TEST(Outlines, ABoxOnItsEdgeIsASquareOnItsCorner) {
  PartDef box = part(ShapeKind::box);
  box.half_extents = {1, 1, 3};
  const double half = 3.141592653589793 / 8;
  const auto seen =
      outlines(models_with({box}), body_at({}, {0, 0, std::sin(half), std::cos(half)}));
  ASSERT_EQ(seen.at(0).shape.points.size(), 4u);
  const double corner = 10 * std::sqrt(2.0);
  for (const Point& p : seen[0].shape.points) {
    EXPECT_NEAR(std::abs(p.x - 100) + std::abs(p.y - 50), corner, 1e-9);
  }
}

TEST(Outlines, ABoxShowsTheFacesTowardsTheViewer) {
  const Models models = models_with({part(ShapeKind::box)});
  EXPECT_EQ(outlines(models, body_at({}), Axis::front, Light::lit).at(0).patches.size(), 1u);
  const Quat turned = normalized({0.3, 0.4, 0.1, 0.8});
  const auto seen = outlines(models, body_at({}, turned), Axis::front, Light::lit);
  ASSERT_EQ(seen.at(0).patches.size(), 3u);
  // the outline of a cube seen at an angle has six corners
  EXPECT_EQ(seen[0].shape.points.size(), 6u);
  const auto area = [](const std::vector<Point>& polygon) {
    double sum = 0;
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      sum += turn(polygon[0], polygon[i - 1], polygon[i]) / 2;
    }
    return std::abs(sum);
  };
  double faces = 0;
  for (const Patch& patch : seen[0].patches) faces += area(patch.shape.points);
  EXPECT_NEAR(faces, area(seen[0].shape.points), 1e-6);  // the faces cover the outline once
}

TEST(Outlines, APlaneFillsThePictureBelowItsSurface) {
  const auto seen = outlines(models_with({part(ShapeKind::plane)}), body_at({0, -1, 0}));
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_TRUE(seen[0].fixed);
  const Rectangle bounds = bounds_of(seen[0].shape.points, 0);
  EXPECT_NEAR(bounds.low.y, 60, 1e-6);
  EXPECT_LE(bounds.low.x, 0);
  EXPECT_GE(bounds.high.x, 200);
  EXPECT_GE(bounds.high.y, 100);
}

TEST(Outlines, AWallInFrontOfTheViewerIsLeftOut) {
  const Models models = models_with({part(ShapeKind::plane)});
  EXPECT_EQ(outlines(models, body_at({0, -1, 0}), Axis::top).size(), 0u);
}

TEST(Outlines, ABodyOutsideThePictureIsLeftOut) {
  const Models models = models_with({part(ShapeKind::box)});
  EXPECT_EQ(outlines(models, body_at({9, 0, 0})).size(), 1u);
  EXPECT_EQ(outlines(models, body_at({11, 0, 0})).size(), 0u);
}

TEST(Outlines, ATinyBodyIsADisc) {
  const Models models = models_with({part(ShapeKind::box)});
  const DrawnBody body = body_at({});
  View view = view_along(Axis::front);
  view.scale = 1e-3;
  view.radius_min = 1.5;
  const auto seen = outlines_of(models, std::span(&body, 1), view, Light::none);
  EXPECT_EQ(seen.at(0).shape.points, (std::vector<Point>{{100, 50}}));
  EXPECT_DOUBLE_EQ(seen[0].shape.radius, 1.5);
}

TEST(Outlines, FixedBodiesComeFirstThenTheFarthest) {
  std::vector<Outline> order(3);
  order[0].depth = 5;
  order[1].depth = 1;
  order[2].depth = 9;
  order[2].fixed = true;
  sort_by_depth(order);
  EXPECT_TRUE(order[0].fixed);
  EXPECT_EQ(order[1].depth, 1);
  EXPECT_EQ(order[2].depth, 5);
}

// Returns every number of the outlines.
std::vector<double> numbers_of(const std::vector<Outline>& outlines) {
  std::vector<double> numbers;
  const auto add = [&](const FlatShape& shape) {
    numbers.push_back(shape.radius);
    for (const Point& p : shape.points) numbers.insert(numbers.end(), {p.x, p.y});
  };
  for (const Outline& outline : outlines) {
    add(outline.shape);
    for (const Patch& patch : outline.patches) {
      add(patch.shape);
      numbers.push_back(patch.light);
    }
  }
  return numbers;
}

TEST(Outlines, HostileNumbersStayFinite) {
  const Models models = models_with({part(ShapeKind::box)});
  const Models plane = models_with({part(ShapeKind::plane)});
  const Models ball = models_with({part(ShapeKind::sphere)});
  for (const double x : {0.0, 1.0, -1e9, 1e12, 1e100, 1e300, -1e308, kInfinity, kNaN}) {
    for (const double w : {1.0, 0.0, 1e200, kInfinity, kNaN}) {
      const DrawnBody body = body_at({x, -x, 1}, {0, 0, 0.1, w});
      for (const Models* const each : {&models, &plane, &ball}) {
        for (const double number : numbers_of(outlines(*each, body, Axis::front, Light::lit))) {
          ASSERT_TRUE(std::isfinite(number)) << x << ' ' << w;
          ASSERT_LE(std::abs(number), 2e9) << x << ' ' << w;
        }
        const View view = view_of(*each, std::span(&body, 1), Axis::side, 80, 40);
        ASSERT_TRUE(std::isfinite(view.scale) && view.scale > 0) << x;
        ASSERT_TRUE(std::isfinite(view.centre.x) && std::isfinite(view.centre.y)) << x;
      }
    }
  }
}

TEST(Outlines, EveryPointHasAPlace) {
  const View view = view_along(Axis::front);
  EXPECT_EQ(project(view, {kNaN, kNaN, kNaN}), (Point{100, 50}));
  EXPECT_EQ(project(view, {kInfinity, -kInfinity, 0}), (Point{100 + 1e9, 50 + 1e9}));
}

TEST(Outlines, AnUnknownSceneIsDrawnAsBoxes) {
  DrawnBody body = body_at({});
  body.prototype = 12345;
  const auto seen = outlines(Models(), body);
  const Rectangle bounds = bounds_of(seen.at(0).shape.points, 0);
  EXPECT_DOUBLE_EQ(bounds.high.x - bounds.low.x, 10);
  EXPECT_DOUBLE_EQ(bounds.high.y - bounds.low.y, 10);
}

TEST(Outlines, NamesArePrintable) {
  Scene scene;
  scene.bodies.resize(2);
  scene.names = {"a\033[2Jb\n<&\"", std::string(500, 'x')};
  const Models models(scene, {});
  EXPECT_EQ(models[0].name, "a\\x1b[2Jb\\x0a<&\"");
  EXPECT_LE(models[1].name.size(), 50u);
  EXPECT_EQ(svg_text(models[0].name), "a\\x1b[2Jb\\x0a&lt;&amp;&quot;");
}

TEST(Framing, ShowsAllMovingBodies) {
  const Models models = models_with({part(ShapeKind::sphere)});
  std::vector<DrawnBody> bodies{body_at({-4, 1, 0}), body_at({6, 3, 0}), body_at({0, 0, 2})};
  for (const Axis axis : {Axis::front, Axis::side, Axis::top}) {
    const View view = view_of(models, bodies, axis, 300, 200);
    for (const Outline& outline : outlines_of(models, bodies, view, Light::none)) {
      const Rectangle r = bounds_of(outline.shape.points, outline.shape.radius);
      EXPECT_TRUE(r.low.x >= 0 && r.low.y >= 0 && r.high.x <= 300 && r.high.y <= 200);
    }
  }
}

TEST(Framing, ABodyFarAwayDoesNotMakeTheOthersTiny) {
  const Models models = models_with({part(ShapeKind::sphere)});
  std::vector<DrawnBody> bodies;
  for (int i = 0; i < 30; ++i) bodies.push_back(body_at({0.3 * i, 0.1 * i, 0}));
  const double scale = view_of(models, bodies, Axis::front, 300, 200).scale;
  bodies.push_back(body_at({5000, 9000, 0}));
  EXPECT_NEAR(view_of(models, bodies, Axis::front, 300, 200).scale, scale, 0.2 * scale);
}

}  // namespace
}  // namespace orrery::cli

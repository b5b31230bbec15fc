// Tests separating axes against a search over all axes, and the contact points of edges and faces.
#include "common/physics/narrow/polyhedra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

using physics::CoreShape;

const physics::Part kBrick = part_of(physics::ShapeKind::box, 0, {0.5, 0.3, 0.2});
const physics::Part kCube = part_of(physics::ShapeKind::box, 0, {0.4, 0.4, 0.4});

// Returns the separation of two solids along a direction: negative if they overlap.
double separation_along(const CoreShape& a, const CoreShape& b, const Vec3& n) {
  return dot(n, b.vertices()[b.support(-n)]) - dot(n, a.vertices()[a.support(n)]);
}

// Returns the largest separation over all normals of faces and, in both directions, all cross
// products of edges. This applies the separating-axis theorem without shortcuts. Only pairs of
// nearly parallel edges are skipped.
double best_separation(const CoreShape& a, const CoreShape& b) {
  double best = -1e300;
  for (const physics::HullFace& face : a.faces()) {
    best = std::max(best, separation_along(a, b, a.normal(face)));
  }
  for (const physics::HullFace& face : b.faces()) {
    best = std::max(best, separation_along(a, b, -b.normal(face)));
  }
  for (const physics::HullEdge& e : a.edges()) {
    for (const physics::HullEdge& f : b.edges()) {
      const Vec3 across = cross(a.edge_vector(e), b.edge_vector(f));
      const double size = length(across);
      if (size < 5e-3 * length(a.edge_vector(e)) * length(b.edge_vector(f))) continue;
      const Vec3 n = (1 / size) * across;
      best = std::max({best, separation_along(a, b, n), separation_along(a, b, -n)});
    }
  }
  return best;
}

struct Pair {
  CoreShape a, b;
};

Pair random_pair(SplitMix64& random) {
  const Pose pose_a{{}, random_turn(random)};
  const Vec3 apart = random_vector(random, 0.7);
  const Pose pose_b{apart, random_turn(random)};
  return {{{}, physics::placed(kBrick, pose_a, {})}, {{}, physics::placed(kCube, pose_b, {})}};
}

TEST(Polyhedra, FindTheBestOfAllSeparatingAxes) {
  SplitMix64 random(0x5A7);
  int overlapping = 0, by_edges = 0;
  for (int i = 0; i < 2000; ++i) {
    const Pair pair = random_pair(random);
    const double faces = std::max(physics::best_face(pair.a, pair.b).separation,
                                  physics::best_face(pair.b, pair.a).separation);
    const double edges = physics::best_edges(pair.a, pair.b).separation;
    EXPECT_NEAR(std::max(faces, edges), best_separation(pair.a, pair.b), 1e-12) << i;
    overlapping += std::max(faces, edges) < 0;
    by_edges += edges > faces;
  }
  EXPECT_GT(overlapping, 200);
  EXPECT_GT(by_edges, 100);
}

// The contact point of two edges is half of their separation away from each of them.
TEST(Polyhedra, PutTheContactOfEdgesHalfWay) {
  SplitMix64 random(0xED6E);
  int tested = 0;
  for (int i = 0; i < 2000; ++i) {
    const Pair pair = random_pair(random);
    const physics::EdgeAxis axis = physics::best_edges(pair.a, pair.b);
    const double faces = std::max(physics::best_face(pair.a, pair.b).separation,
                                  physics::best_face(pair.b, pair.a).separation);
    if (axis.separation <= faces || axis.separation < 0) continue;
    const physics::HullEdge& e = pair.a.edges()[axis.a];
    const physics::HullEdge& f = pair.b.edges()[axis.b];
    const double apart = segment_distance(pair.a.vertices()[e.from], pair.a.edge_vector(e),
                                          pair.b.vertices()[f.from], pair.b.edge_vector(f));
    if (std::abs(apart - axis.separation) > 1e-9) continue;  // an end of an edge is nearest
    const physics::ManifoldPoint point = physics::edge_point(pair.a, pair.b, axis);
    const Vec3 tiny{1e-12, 0, 0};
    EXPECT_NEAR(segment_distance(pair.a.vertices()[e.from], pair.a.edge_vector(e), point.at, tiny),
                apart / 2, 1e-9);
    EXPECT_NEAR(segment_distance(pair.b.vertices()[f.from], pair.b.edge_vector(f), point.at, tiny),
                apart / 2, 1e-9);
    ++tested;
  }
  EXPECT_GT(tested, 50);
}

TEST(Polyhedra, ClipTheFacesOfStackedBoxes) {
  const CoreShape below({}, physics::placed(kCube, {}, {}));
  const CoreShape above({}, physics::placed(kBrick, {{0.1, 0.69, 0}, {}}, {}));
  const physics::FaceAxis axis = physics::best_face(below, above);
  EXPECT_NEAR(axis.separation, -0.01, 1e-15);
  physics::Manifold manifold;
  ASSERT_TRUE(physics::face_contact(below, axis.face, above, true, 0.02, manifold));
  EXPECT_NEAR(length(manifold.normal - Vec3{0, 1, 0}), 0, 1e-15);
  ASSERT_EQ(manifold.count, 4u);
  EXPECT_NEAR(physics::min_separation(manifold), -0.01, 1e-15);
  EXPECT_TRUE(physics::matches_separation(manifold, axis.separation, 0.02));
  EXPECT_FALSE(physics::matches_separation(manifold, 0, 0.02));
  // The common rectangle of both faces: x from -0.4 to 0.4, z from -0.2 to 0.2.
  for (const physics::ManifoldPoint& point : manifold.points) {
    EXPECT_NEAR(std::abs(point.at.x), 0.4, 1e-12);
    EXPECT_NEAR(point.at.y, 0.395, 1e-12);
    EXPECT_NEAR(std::abs(point.at.z), 0.2, 1e-12);
  }
  EXPECT_FALSE(physics::face_contact(below, axis.face,
                                     {{}, physics::placed(kBrick, {{5, 0.69, 0}, {}}, {})}, true,
                                     0.02, manifold));
}

}  // namespace
}  // namespace orrery

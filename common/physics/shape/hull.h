// Defines convex hulls (vertices, faces and edges) and builds them from points.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/result.h"
#include "common/math/vec3.h"

namespace orrery::physics {

// A face of a hull: a convex polygon, counterclockwise from outside. Coplanar triangles that
// are neighbours form one face.
struct HullFace {
  Vec3 normal;                // unit, outward
  double offset = 0;          // the plane of the face is dot(normal, x) = offset
  std::uint16_t first = 0;    // index of its first corner in Hull::corners
  std::uint16_t corners = 0;  // number of corners
};

// A corner of a face: the index of its vertex, and of the edge from this corner to the next one.
struct HullCorner {
  std::uint8_t vertex = 0;
  std::uint8_t edge = 0;
};

// An edge of a hull, between two faces.
struct HullEdge {
  std::uint8_t from = 0;  // vertices
  std::uint8_t to = 0;
  std::uint8_t left = 0;  // faces; in the corners of `left`, `to` follows `from`
  std::uint8_t right = 0;
};

// A convex polyhedron.
struct Hull {
  std::vector<Vec3> vertices;
  std::vector<HullFace> faces;
  std::vector<HullCorner> corners;
  std::vector<HullEdge> edges;
};

// Returns the convex hull of points, by quickhull (Barber, Dobkin, Huhdanpaa 1996): repeatedly adds
// the point farthest outside the present hull. Then merges triangles that are in one plane to
// within 1e-7 of the hull's size into one face. Returns an error with the reason if
//
// - there are fewer than 4 points, or more than limits::kHullPointsMax,
// - a coordinate is beyond limits::kExtentMax,
// - the points span no volume: they are thinner than 1e-6 of their size or than limits::kExtentMin,
// - the faces do not form a closed polyhedron, or
// - the hull needs more than limits::kHullVerticesMax vertices.
Result<Hull> make_hull(std::span<const Vec3> points);

// Integrals over the volume of a hull: of 1, of the position x, and of the products x_i x_j. The
// products form a 3 x 3 matrix, row by row.
struct VolumeMoments {
  double volume = 0;
  Vec3 first;
  std::array<double, 9> second{};
};
// Returns the integrals, as a sum over the tetrahedra between the origin and the faces.
// REQUIRES: the hull has at least four faces.
VolumeMoments volume_moments(const Hull& hull);

// Moves all vertices and faces by the vector `by`.
void translate(Hull& hull, const Vec3& by);

}  // namespace orrery::physics

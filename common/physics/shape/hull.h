// Owns convex hulls: corners, faces and edges of a convex polyhedron, and how points become one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/result.h"
#include "common/math/vec3.h"

namespace orrery::physics {

// A face is a convex polygon, counterclockwise from outside; faces of one plane are one face.
struct HullFace {
  Vec3 normal;              // unit, outward
  double offset = 0;        // the face is in the plane dot(normal, x) = offset
  std::uint16_t first = 0;  // its corners in Hull::corners
  std::uint16_t corners = 0;
};

// The side of a face that starts at this corner.
struct HullCorner {
  std::uint8_t vertex = 0;
  std::uint8_t edge = 0;
};

struct HullEdge {
  std::uint8_t from = 0;  // vertices
  std::uint8_t to = 0;
  std::uint8_t left = 0;  // faces: the one that runs from `from` to `to`, and the other
  std::uint8_t right = 0;
};

struct Hull {
  std::vector<Vec3> vertices;
  std::vector<HullFace> faces;
  std::vector<HullCorner> corners;
  std::vector<HullEdge> edges;
};

// The convex hull of points. Quickhull (Barber, Dobkin, Huhdanpaa 1996): the point farthest outside
// is added until none is outside; then faces within 1e-7 of the size of one plane become one.
// Refuses, with the reason, points that span no volume (thinner than 1e-6 of their size) or need
// more than limits::kHullVerticesMax vertices.
Result<Hull> make_hull(std::span<const Vec3> points);

// Integrals over the volume of a hull: of 1, x, and x_i x_j (row by row). From the tetrahedra
// between the origin and the faces.
struct VolumeMoments {
  double volume = 0;
  Vec3 first;
  std::array<double, 9> second{};
};
VolumeMoments volume_moments(const Hull& hull);

// All vertices moved by `by`.
void translate(Hull& hull, const Vec3& by);

}  // namespace orrery::physics

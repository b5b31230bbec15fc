// Owns convex hulls: corners, faces and edges of a convex polyhedron.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/result.h"
#include "common/math/vec3.h"

namespace orrery {

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

// The convex hull of points (quickhull). Refuses, with the reason, points that span no volume or
// need more than limits::kHullVerticesMax vertices.
Result<Hull> make_hull(std::span<const Vec3> points);

}  // namespace orrery

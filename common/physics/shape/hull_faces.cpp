// Merges the coplanar triangles of a hull into polygons.
#include "common/physics/shape/hull_faces.h"

#include <algorithm>
#include <numeric>

#include "common/core/assert.h"
#include "common/core/limits.h"

namespace orrery::physics {
namespace {

// A triangle belongs to a face if its corners are this near to the plane of the face's largest
// triangle. The distance is a fraction of the size of the hull.
constexpr double kSamePlane = 1e-7;

static_assert(limits::kHullVerticesMax <= 256);  // HullCorner: a byte for a vertex
// HullCorner has a byte for the index of an edge. By Euler's formula, a hull of V vertices has at
// most 3 V - 6 edges.
static_assert(3 * limits::kHullVerticesMax - 6 <= 256);
static_assert(2 * (3 * limits::kHullVerticesMax - 6) <= 65536);  // HullFace: 16 bits for a corner

using Loop = std::vector<std::uint32_t>;  // the vertices of a face in order

// Returns the index of the triangle with the directed side from -> to, or the number of triangles
// if none has it.
std::size_t owner_of(const std::vector<HullTriangle>& triangles, std::uint32_t from,
                     std::uint32_t to) {
  std::size_t t = 0;
  for (; t < triangles.size(); ++t) {
    const auto& v = triangles[t].vertices;
    if ((v[0] == from && v[1] == to) || (v[1] == from && v[2] == to) ||
        (v[2] == from && v[0] == to)) {
      break;
    }
  }
  return t;
}

bool in_plane(std::span<const Vec3> points, const HullTriangle& triangle, const HullTriangle& plane,
              double tolerance) {
  ORRERY_ASSERT(tolerance >= 0);
  return std::all_of(std::begin(triangle.vertices), std::end(triangle.vertices),
                     [&](std::uint32_t v) {
                       const double height = dot(plane.normal, points[v]) - plane.offset;
                       return height <= tolerance && height >= -tolerance;
                     });
}

// Returns the face number of each triangle. The largest triangle without a face starts the next
// face. The face then grows over all neighbours that are in the plane of this first triangle.
std::vector<std::size_t> face_of_triangles(std::span<const Vec3> points,
                                           const std::vector<HullTriangle>& triangles,
                                           double tolerance) {
  ORRERY_ASSERT(tolerance >= 0);
  const std::size_t none = triangles.size();
  std::vector<std::size_t> order(triangles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return triangles[a].size > triangles[b].size;
  });
  std::vector<std::size_t> face(triangles.size(), none);
  std::size_t faces = 0;
  for (const std::size_t seed : order) {
    if (face[seed] != none) continue;
    std::vector<std::size_t> front = {seed};
    face[seed] = faces;
    while (!front.empty()) {
      const auto& v = triangles[front.back()].vertices;
      front.pop_back();
      for (int i = 0; i < 3; ++i) {
        const std::size_t next = owner_of(triangles, v[(i + 1) % 3], v[i]);
        if (next == none || face[next] != none) continue;
        if (!in_plane(points, triangles[next], triangles[seed], tolerance)) continue;
        face[next] = faces;
        front.push_back(next);
      }
    }
    ++faces;
  }
  return face;
}

// Returns the boundary of each face, or nothing if a boundary is not a single loop.
std::vector<Loop> loops_of(const std::vector<HullTriangle>& triangles,
                           const std::vector<std::size_t>& face) {
  ORRERY_ASSERT(face.size() == triangles.size());
  const std::size_t faces = 1 + *std::max_element(face.begin(), face.end());
  std::vector<Loop> loops(faces);
  for (std::size_t f = 0; f < faces; ++f) {
    Loop from, to;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      if (face[t] != f) continue;
      const auto& v = triangles[t].vertices;
      for (int i = 0; i < 3; ++i) {
        const std::size_t other = owner_of(triangles, v[(i + 1) % 3], v[i]);
        if (other == triangles.size()) return {};
        if (face[other] == f) continue;
        from.push_back(v[i]);
        to.push_back(v[(i + 1) % 3]);
      }
    }
    if (from.empty()) return {};
    std::uint32_t at = from[0];
    do {
      loops[f].push_back(at);
      const auto next = std::find(from.begin(), from.end(), at);
      if (next == from.end() || loops[f].size() > from.size()) return {};
      at = to[static_cast<std::size_t>(next - from.begin())];
    } while (at != from[0]);
    if (loops[f].size() != from.size()) return {};
  }
  return loops;
}

// Removes each vertex that belongs to only two faces from their loops: it is on a straight edge.
void straighten(std::vector<Loop>& loops, std::size_t points) {
  ORRERY_ASSERT(!loops.empty());
  std::vector<int> faces(points, 0);
  for (const Loop& loop : loops) {
    for (const std::uint32_t v : loop) ++faces[v];
  }
  for (Loop& loop : loops) {
    std::erase_if(loop, [&](std::uint32_t v) { return faces[v] < 3; });
  }
}

// Writes the points that are in a loop to hull.vertices, in the order of the points. Replaces the
// indices of points in the loops by indices of vertices.
void write_vertices(Hull& hull, std::span<const Vec3> points, std::vector<Loop>& loops) {
  ORRERY_ASSERT(hull.vertices.empty());
  std::vector<std::uint32_t> number(points.size(), 0);
  for (const Loop& loop : loops) {
    for (const std::uint32_t v : loop) number[v] = 1;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] == 0) continue;
    number[i] = static_cast<std::uint32_t>(hull.vertices.size());
    hull.vertices.push_back(points[i]);
  }
  for (Loop& loop : loops) {
    for (std::uint32_t& v : loop) v = number[v];
  }
}

// Makes the face of a loop. Its normal is Newell's: the direction of the sum of the vector areas of
// a triangle fan.
HullFace face_of(const Hull& hull, const Loop& loop) {
  ORRERY_ASSERT(loop.size() >= 3);
  const Vec3& origin = hull.vertices[loop[0]];
  Vec3 area;
  for (std::size_t i = 2; i < loop.size(); ++i) {
    area += cross(hull.vertices[loop[i - 1]] - origin, hull.vertices[loop[i]] - origin);
  }
  HullFace face;
  face.normal = (1 / length(area)) * area;
  for (const std::uint32_t v : loop) face.offset += dot(face.normal, hull.vertices[v]);
  face.offset /= static_cast<double>(loop.size());
  face.first = static_cast<std::uint16_t>(hull.corners.size());
  face.corners = static_cast<std::uint16_t>(loop.size());
  return face;
}

// Writes the faces, corners and edges of the loops to the hull. Returns false if an edge does not
// have exactly two faces.
bool write_faces(Hull& hull, const std::vector<Loop>& loops) {
  ORRERY_ASSERT(hull.vertices.size() <= limits::kHullVerticesMax);
  for (const Loop& loop : loops) {
    const auto left = static_cast<std::uint8_t>(hull.faces.size());
    hull.faces.push_back(face_of(hull, loop));
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const auto from = static_cast<std::uint8_t>(loop[i]);
      const auto to = static_cast<std::uint8_t>(loop[(i + 1) % loop.size()]);
      std::size_t e = 0;
      for (; e < hull.edges.size(); ++e) {
        if (hull.edges[e].from == from && hull.edges[e].to == to) return false;
        if (hull.edges[e].from == to && hull.edges[e].to == from) break;
      }
      if (e == hull.edges.size()) {
        hull.edges.push_back({from, to, left, left});
      } else {
        hull.edges[e].right = left;
      }
      hull.corners.push_back({from, static_cast<std::uint8_t>(e)});
    }
  }
  return hull.corners.size() == 2 * hull.edges.size();
}

}  // namespace

Result<Hull> merge_triangles(std::span<const Vec3> points,
                             const std::vector<HullTriangle>& triangles, double size) {
  ORRERY_ASSERT(triangles.size() >= 4);
  ORRERY_ASSERT(size > 0);
  const Error crooked{
      "points must make a closed polyhedron; these are too close together, or too flat"};
  const auto faces = face_of_triangles(points, triangles, kSamePlane * size);
  std::vector<Loop> loops = loops_of(triangles, faces);
  if (loops.empty()) return crooked;
  straighten(loops, points.size());
  for (const Loop& loop : loops) {
    if (loop.size() < 3) return crooked;
  }
  Hull hull;
  write_vertices(hull, points, loops);
  if (hull.vertices.size() > limits::kHullVerticesMax) {
    return Error{"a hull must have at most 64 vertices; these points need more"};
  }
  if (!write_faces(hull, loops)) return crooked;
  // Euler's formula for a polyhedron without holes.
  if (hull.vertices.size() + hull.faces.size() != hull.edges.size() + 2) return crooked;
  return hull;
}

}  // namespace orrery::physics

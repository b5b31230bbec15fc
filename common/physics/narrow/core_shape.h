// Owns the common view of convex parts: a polyhedron, segment or point, and a radius around it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/core/limits.h"
#include "common/physics/narrow/collide.h"

namespace orrery::physics {

// The core of a sphere is its centre, of a capsule its segment, of a box or hull the whole of it; a
// part is everything within `radius` of its core. World axes, from the position of body A. Refers
// to the shape set; not for planes and surfaces.
class CoreShape {
 public:
  CoreShape(const ShapeSet& shapes, const PlacedPart& placed);
  // A triangle: two faces, of which the first is counterclockwise.
  explicit CoreShape(const std::array<Vec3, 3>& triangle);

  double radius() const { return radius_; }
  std::span<const Vec3> vertices() const { return {vertices_.data(), count_}; }
  std::span<const HullFace> faces() const { return faces_; }
  std::span<const HullEdge> edges() const { return edges_; }  // a segment has one
  std::span<const HullCorner> corners(const HullFace& face) const {
    return corners_.subspan(face.first, face.corners);
  }
  // Outward, unit length.
  Vec3 normal(const HullFace& face) const { return axes_ * face.normal; }
  Vec3 edge_vector(const HullEdge& edge) const { return vertices_[edge.to] - vertices_[edge.from]; }
  const Vec3& centre() const { return centre_; }  // inside

  // The vertex that is farthest along a direction; the first of those that are.
  std::uint32_t support(const Vec3& direction) const {
    std::uint32_t best = 0;
    double most = dot(vertices_[0], direction);
    for (std::uint32_t i = 1; i < count_; ++i) {
      const double along = dot(vertices_[i], direction);
      if (along > most) {
        most = along;
        best = i;
      }
    }
    return best;
  }

 private:
  std::array<Vec3, limits::kHullVerticesMax> vertices_;
  std::uint32_t count_;
  double radius_ = 0;
  Vec3 centre_;
  Mat3 axes_;
  std::span<const HullFace> faces_;
  std::span<const HullCorner> corners_;
  std::span<const HullEdge> edges_;
};

// The nearest points of two cores.
struct Nearest {
  double distance = 0;  // 0: the cores overlap, and the points say nothing
  Vec3 normal;          // from a to b, unit length
  Vec3 on_a;
  Vec3 on_b;
};

// By the algorithm of Gilbert, Johnson and Keerthi (1988), in binary64 to rounding.
Nearest nearest_points(const CoreShape& a, const CoreShape& b);

}  // namespace orrery::physics

// Represents a convex part as a core (polyhedron, segment or point) and a radius around it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/core/limits.h"
#include "common/physics/narrow/collide.h"

namespace orrery::physics {

// A convex part: all points within `radius` of its core. The core of a sphere is its centre, that
// of a capsule its segment, and that of a box or hull the whole part. Coordinates are in world
// axes, relative to the position of the first of the two bodies (A). A CoreShape refers to the
// shape set and must not outlive it.
class CoreShape {
 public:
  // REQUIRES: the part is a sphere, capsule, box or hull.
  CoreShape(const ShapeSet& shapes, const PlacedPart& placed);
  // Makes a core from a triangle. Its first face is the front, from which the corners are
  // counterclockwise. Its second face is the back.
  // REQUIRES: the area of the triangle is not 0.
  explicit CoreShape(const std::array<Vec3, 3>& triangle);

  // Return the radius and the features of the core. A sphere has one vertex, a capsule two.
  double radius() const { return radius_; }
  std::span<const Vec3> vertices() const { return {vertices_.data(), count_}; }
  std::span<const HullFace> faces() const { return faces_; }
  std::span<const HullEdge> edges() const { return edges_; }  // a segment has one
  std::span<const HullCorner> corners(const HullFace& face) const {
    return corners_.subspan(face.first, face.corners);
  }
  // Returns the outward unit normal of a face.
  Vec3 normal(const HullFace& face) const { return axes_ * face.normal; }
  Vec3 edge_vector(const HullEdge& edge) const { return vertices_[edge.to] - vertices_[edge.from]; }
  const Vec3& centre() const { return centre_; }  // a point inside the core

  // Returns the support vertex: the vertex farthest along a direction, or the first one if several
  // are equally far.
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
  double distance = 0;  // 0: the cores overlap or nearly touch, and the rest is undefined
  Vec3 normal;          // from a to b, unit length
  Vec3 on_a;
  Vec3 on_b;
};

// Finds the nearest points by GJK (Gilbert, Johnson, Keerthi 1988), exact up to rounding in
// binary64.
Nearest nearest_points(const CoreShape& a, const CoreShape& b);

}  // namespace orrery::physics

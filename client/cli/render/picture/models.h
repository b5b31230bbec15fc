// The looks of bodies: solids, colours and names, made from a scene.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/cli/render/picture/colour.h"
#include "common/math/pose.h"
#include "common/world/scenes/scene.h"

namespace orrery::cli {

// A convex part of a body, or a surface. Its outline is that of all points within `radius` of the
// convex hull of `points`.
// REQUIRES: if `radius` is not 0, `points` has one or two points.
struct Solid {
  std::vector<Vec3> points;  // body coordinates
  double radius = 0;
  // The corners of each flat face, as indices of points, counterclockwise from outside.
  std::vector<std::vector<std::uint32_t>> faces;
  // True for a half space. points[0] is then a point of its surface, and points[1] its outward
  // normal.
  bool endless = false;
};

// The look of a body.
struct Model {
  std::vector<Solid> solids;
  bool fixed = false;
  Rgb colour;
  std::string name;  // printable; empty if it has none
  // Radius of a ball about the body's origin that contains all solids except half spaces.
  double radius = 0;
};

// The models of all bodies of a scene.
class Models {
 public:
  // Makes the models of an unknown scene: every body is a box with half extents of 0.5.
  Models();

  // REQUIRES: make_shapes(scene) gave the shapes.
  Models(const Scene& scene, const ShapeSet& shapes);

  // Returns the model of bodies that copy scene body `prototype`. If the scene has no such body,
  // returns a box.
  const Model& operator[](std::uint32_t prototype) const {
    return prototype < models_.size() ? models_[prototype] : unknown_;
  }

 private:
  std::vector<Model> models_;
  Model unknown_;
};

}  // namespace orrery::cli

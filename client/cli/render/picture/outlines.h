// The outlines of bodies in a picture.
#pragma once

#include <span>
#include <vector>

#include "client/cli/render/picture/models.h"
#include "client/cli/render/picture/view.h"
#include "common/core/ids.h"

namespace orrery::cli {

// A body to draw.
struct DrawnBody {
  BodyId id;
  std::uint32_t prototype = 0;  // index of the scene body that this body is or copies
  Pose pose;
  Vec3 velocity;
  Vec3 angular_velocity;  // world frame, rad per time unit
};

// A shape of a picture: a disc with one point, a capsule with two points, or a convex polygon. All
// numbers are finite.
struct FlatShape {
  std::vector<Point> points;  // corners in order
  double radius = 0;          // in pixels; 0: a polygon
};

// A part of an outline with its own brightness, such as a face of a box.
struct Patch {
  FlatShape shape;
  double light = 1;  // for lit()
};

// One solid of a body, as the picture shows it.
struct Outline {
  FlatShape shape;
  BodyId body;
  bool fixed = false;
  Rgb colour;
  double depth = 0;            // of the body, towards the viewer
  std::vector<Patch> patches;  // inside the shape, from back to front
};

// Whether outlines have patches: lit faces, and highlights on round solids.
enum class Light : bool { none, lit };

// Returns the outlines of bodies that are in the picture, in the order of the bodies. Leaves out
// bodies with a position or an orientation that is not finite, and half spaces that fill the
// picture.
std::vector<Outline> outlines_of(const Models& models, std::span<const DrawnBody> bodies,
                                 const View& view, Light light);

// Sorts outlines from back to front. Fixed bodies come first, so that they never hide a moving
// body.
void sort_by_depth(std::vector<Outline>& outlines);

}  // namespace orrery::cli

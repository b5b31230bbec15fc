// The view of a picture: which part of space it shows, and where it draws a point.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "client/cli/render/picture/convex.h"
#include "common/math/vec3.h"

namespace orrery::cli {

// The direction of view.
enum class Axis : std::uint8_t {
  front,  // right is x, up is y
  side,   // right is -z, up is y
  top,    // right is x, up is -z
};

// Returns "front", "side" or "top".
std::string_view axis_name(Axis axis);

// Returns the components of a vector to the right, up, and towards the viewer.
Vec3 seen_along(Axis axis, const Vec3& v);

// Returns the vector that has these components in the view: the inverse of seen_along().
Vec3 from_seen(Axis axis, const Vec3& seen);

// A view without perspective.
struct View {
  Axis axis = Axis::front;
  Vec3 centre;         // the point in the middle of the picture, in units of the scene
  double scale = 1;    // pixels for a unit of length
  double width = 360;  // of the picture, in pixels
  double height = 360;
  // Least radius of a drawn solid, in pixels. A smaller solid is drawn as a disc of this radius at
  // the origin of its body.
  double radius_min = 0;
};

// Returns the place of a point in the picture. Coordinates are limited to 1e9 pixels from the
// middle, and a coordinate that is not a number is replaced by that of the middle.
Point project(const View& view, const Vec3& point);

// A ball that a picture should show.
struct FramedBall {
  Vec3 centre;
  double radius = 0;
};

// Returns a view that shows balls with a small margin. Balls that are far from most others are left
// out, so that one body that flies away does not make all others tiny. Ignores balls that are not
// finite.
View framed(std::span<const FramedBall> balls, Axis axis, double width, double height);

}  // namespace orrery::cli

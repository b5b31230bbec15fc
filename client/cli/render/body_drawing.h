// Owns the declaration of pictures of bodies: outlines in SVG, seen along an axis.
#pragma once

#include <optional>
#include <string>

#include "common/core/ids.h"
#include "common/math/vec3.h"
#include "common/world/world.h"

namespace orrery::cli {

enum class Axis : bool { front, above };  // right is x; up is y, or against z

// What is seen: a square of 2 `reach` around `centre`.
struct View {
  Vec3 centre;
  double reach = 1;
  Axis axis = Axis::front;
};

// Around a body, such that some of the bodies nearest to it are seen too.
View view_around(const World& world, BodyId body, Axis axis);

// The width and height of a picture, in its own units.
inline constexpr double kPictureSize = 360;

// Elements of class `style`, that of `marked` also of class "marked", for an <svg> of that size.
std::string draw_bodies(const World& world, const View& view, const std::string& style,
                        std::optional<BodyId> marked);

}  // namespace orrery::cli

// Draws the outlines of bodies in SVG, seen along an axis.
#pragma once

#include <optional>
#include <string>

#include "common/core/ids.h"
#include "common/math/vec3.h"
#include "common/world/world.h"

namespace orrery::cli {

// The direction of view. The picture's right is x. Its up is y from the front, and -z from above.
enum class Axis : bool { front, above };

// The visible region: a square around `centre` with sides of 2 `reach`, in units of the scene.
struct View {
  Vec3 centre;
  double reach = 1;
  Axis axis = Axis::front;
};

// Returns a view around a body that includes some of its nearest neighbours.
View view_around(const World& world, BodyId body, Axis axis);

// Width and height of a picture, in its own units.
inline constexpr double kPictureSize = 360;

// Returns the SVG elements of the bodies in view, for an <svg> of kPictureSize. Draws at most 400
// parts of bodies, and always the `marked` body. The class of the elements is `style`. The marked
// body also has the class "marked", and other anchors have the class "fixed".
std::string draw_bodies(const World& world, const View& view, const std::string& style,
                        std::optional<BodyId> marked);

}  // namespace orrery::cli

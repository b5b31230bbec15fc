// Draws the bodies of a world around one of them as SVG, for pages.
#pragma once

#include <optional>
#include <string>

#include "client/cli/render/picture/view.h"
#include "common/world/world.h"

namespace orrery::cli {

// Returns a view with the body in its centre, large enough for the eight nearest neighbours of the
// body. The picture is a square of kPictureSize pixels.
View view_around(const World& world, BodyId body, Axis axis);

// Width and height of a picture in pixels.
inline constexpr double kPictureSize = 360;

// Returns the SVG elements of the bodies in view, for an <svg> of kPictureSize. Draws at most 400
// parts of bodies; the parts of the `marked` body are always drawn. Each element has the SVG class
// `style`. Elements of the marked body also have the class "marked". Elements of anchors have the
// class "fixed", except those of the marked body.
std::string draw_bodies(const World& world, const View& view, const std::string& style,
                        std::optional<BodyId> marked);

}  // namespace orrery::cli

// Draws the bodies of a world around one of them as SVG, for pages.
#include "client/cli/render/body_drawing.h"

#include <algorithm>
#include <vector>

#include "client/cli/render/picture/svg.h"
#include "client/cli/render/world_bodies.h"

namespace orrery::cli {
namespace {

// Maximum number of outlines that one call of draw_bodies() draws. Each part of a body has one
// outline. The outlines of the marked body are always drawn, even beyond this number.
constexpr std::size_t kOutlinesMax = 400;

double size_of(const World& world, BodyId body) {
  const Vec3& h = prototype_of(world, slot_of(body)).half_extents;
  return std::max({h.x, h.y, h.z});
}

}  // namespace

View view_around(const World& world, BodyId body, Axis axis) {
  ORRERY_ASSERT(contains(world, body));
  constexpr std::size_t kNeighbours = 8;
  const Vec3 centre = world.bodies().position(slot_of(body));
  std::vector<double> distances;
  for (const DrawnBody& other : bodies_of(world)) {
    distances.push_back(length(other.pose.position - centre));
  }
  const std::size_t last = std::min(kNeighbours, distances.size() - 1);
  std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(last),
                   distances.end());
  const double reach = std::max(1.2 * distances[last], 2.5 * size_of(world, body));
  return {axis, centre, kPictureSize / (2 * reach), kPictureSize, kPictureSize};
}

std::string draw_bodies(const World& world, const View& view, const std::string& style,
                        std::optional<BodyId> marked) {
  std::string out;
  std::size_t drawn = 0;
  const std::vector<DrawnBody> bodies = bodies_of(world);
  for (const Outline& outline : outlines_of(models_of(world), bodies, view, Light::none)) {
    const bool is_marked = outline.body == marked;
    if (drawn >= kOutlinesMax && !is_marked) continue;
    ++drawn;
    const std::string classes = style + (is_marked ? " marked" : outline.fixed ? " fixed" : "");
    out += svg_shape(outline.shape, "class=\"" + classes + '"',
                     "<title>body " + std::to_string(outline.body.value) + "</title>");
  }
  return out;
}

}  // namespace orrery::cli

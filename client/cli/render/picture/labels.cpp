// The labels of bodies in a picture.
#include "client/cli/render/picture/labels.h"

#include <algorithm>
#include <array>
#include <optional>

namespace orrery::cli {
namespace {

constexpr std::size_t kWantedMax = 200;  // maximum labels to place: more would hide the bodies

// A solid (one piece of a drawn body) and the rectangle around it in the picture.
struct Place {
  BodyId body;
  bool fixed = false;
  Rectangle bounds;
};

std::vector<Place> places_of(std::span<const Outline> outlines) {
  std::vector<Place> places;
  for (const Outline& outline : outlines) {
    places.push_back(
        {outline.body, outline.fixed, bounds_of(outline.shape.points, outline.shape.radius)});
  }
  return places;
}

// Returns the rectangle around all solids of a body; nothing if the body is not in the picture.
std::optional<Rectangle> place_of(BodyId body, const std::vector<Place>& places) {
  std::optional<Rectangle> around;
  for (const Place& place : places) {
    if (place.body != body) continue;
    const Rectangle& r = place.bounds;
    around = around ? bounds_of({around->low, around->high, r.low, r.high}, 0) : r;
  }
  return around;
}

// Returns the places next to a body, best first: right, left, above, below.
std::array<Rectangle, 4> places_next_to(const Rectangle& body, double width, double height) {
  constexpr double kGap = 3;
  const double x = (body.low.x + body.high.x - width) / 2;
  const double y = (body.low.y + body.high.y - height) / 2;
  const auto at = [&](double left, double top) {
    return Rectangle{{left, top}, {left + width, top + height}};
  };
  return {at(body.high.x + kGap, y), at(body.low.x - kGap - width, y),
          at(x, body.low.y - kGap - height), at(x, body.high.y + kGap)};
}

bool is_inside(const Rectangle& r, const View& view) {
  return r.low.x >= 0 && r.low.y >= 0 && r.high.x <= view.width && r.high.y <= view.height;
}

bool covers_moving(const Rectangle& label, const std::vector<Place>& places) {
  return std::any_of(places.begin(), places.end(),
                     [&](const Place& place) { return !place.fixed && label.meets(place.bounds); });
}

}  // namespace

std::vector<Label> place_labels(std::span<const WantedLabel> wanted,
                                std::span<const Outline> outlines, const View& view,
                                const GlyphSize& glyph) {
  const std::vector<Place> places = places_of(outlines);
  std::vector<Label> labels;
  for (const WantedLabel& label : wanted.first(std::min(wanted.size(), kWantedMax))) {
    const std::optional<Rectangle> body = place_of(label.body, places);
    if (!body) continue;
    const double width = glyph.width * static_cast<double>(label.text.size());
    std::optional<Rectangle> best;
    bool best_is_free = false;
    for (const Rectangle& place : places_next_to(*body, width, glyph.height)) {
      const bool meets = std::any_of(labels.begin(), labels.end(),
                                     [&](const Label& l) { return l.place.meets(place); });
      if (meets || !is_inside(place, view) || best_is_free) continue;
      best_is_free = !covers_moving(place, places);
      if (best_is_free || label.marked) best = place;
    }
    if (best) labels.push_back({*best, label.text, label.body});
  }
  return labels;
}

}  // namespace orrery::cli

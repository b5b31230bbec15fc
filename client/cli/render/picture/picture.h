// A picture of bodies: outlines, labels and marks, ready to paint.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/cli/render/picture/labels.h"
#include "client/cli/render/picture/outlines.h"

namespace orrery::cli {

// The bodies that a picture marks.
struct Marks {
  std::optional<BodyId> fastest;
  std::optional<BodyId> selected;
};

// A picture, ready to paint.
struct Picture {
  View view;
  std::vector<Outline> outlines;  // from back to front
  std::vector<Label> labels;
  Marks marks;
};

// Returns the moving body with the highest speed; nothing if all are at rest.
std::optional<BodyId> fastest_of(const Models& models, std::span<const DrawnBody> bodies);

// Returns the name of a body, or "body 7" if it has none.
std::string title_of(const Model& model, BodyId body);

// Returns a view that shows the bodies that can move, or all bodies if none can move.
View view_of(const Models& models, std::span<const DrawnBody> bodies, Axis axis, double width,
             double height);

// Returns the picture of bodies in a view. Labels are placed at moving bodies that have a name, and
// at marked bodies. REQUIRES: `glyph` is the size of a character in the font that will paint the
// labels.
Picture compose(const Models& models, std::span<const DrawnBody> bodies, const View& view,
                const Marks& marks, const GlyphSize& glyph);

}  // namespace orrery::cli

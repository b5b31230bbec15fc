// The labels of bodies in a picture.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "client/cli/render/picture/outlines.h"

namespace orrery::cli {

// A text that belongs to a body.
struct WantedLabel {
  BodyId body;
  std::string text;
  bool marked = false;  // the label may cover other bodies
};

// A text and its place in the picture, in pixels.
struct Label {
  Rectangle place;
  std::string text;
  BodyId body;
};

// Width and height of a character, in pixels.
struct GlyphSize {
  double width = 8;
  double height = 13;
};

// Places labels next to their bodies, in the given order. No label leaves the picture or covers an
// earlier label, and only a marked one covers a moving body. Leaves out a label for which there is
// no such place, and all labels after the first 200.
std::vector<Label> place_labels(std::span<const WantedLabel> wanted,
                                std::span<const Outline> outlines, const View& view,
                                const GlyphSize& glyph);

}  // namespace orrery::cli

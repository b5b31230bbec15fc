// Paints a picture of bodies on a canvas or as SVG.
#include "client/cli/render/picture/paint.h"

#include <algorithm>
#include <cmath>

#include "client/cli/render/picture/font.h"
#include "client/cli/render/picture/svg.h"
#include "common/core/assert.h"

namespace orrery::cli {
namespace {

// Width of the line around a marked body, as a multiple of the width of other edges.
constexpr double kMarkWidth = 2.5;
constexpr std::uint32_t kPadding = 8;
constexpr std::uint32_t kLineHeight = kGlyphHeight + 3;

// The colours of an outline. Fixed bodies are translucent, so that a wall does not hide the floor.
struct Paint {
  Rgb fill;
  Rgb edge;
  double opacity = 1;
};

Paint paint_of(const Outline& outline, const Theme& theme) {
  if (!outline.fixed) return {outline.colour, lit(outline.colour, 0.55)};
  return {outline.colour, mixed(theme.ground, outline.colour, 0.6), 0.25};
}

// Returns the colour of the line around a marked body, or nullptr.
const Rgb* mark_of(const Outline& outline, const Marks& marks, const Theme& theme) {
  if (marks.selected == outline.body) return &theme.selected;
  if (marks.fastest == outline.body) return &theme.fastest;
  return nullptr;
}

// Writes a label with a halo in the colour of the background, so that it is readable on any body.
void write_label(const Label& label, const Theme& theme, Canvas& canvas) {
  const Point at{std::round(label.place.low.x), std::round(label.place.low.y)};
  for (int i = 0; i < 9; ++i) {
    canvas.write({at.x + i % 3 - 1, at.y + i / 3 - 1}, label.text, theme.ground);
  }
  canvas.write(at, label.text, theme.text);
}

std::string svg_outline(const Outline& outline, const Theme& theme) {
  const Paint paint = paint_of(outline, theme);
  const std::string opacity =
      outline.fixed ? "\" fill-opacity=\"" + svg_number(paint.opacity) + '"' : "\"";
  std::string out = "<g><title>body " + std::to_string(outline.body.value) + "</title>\n" +
                    svg_shape(outline.shape, "fill=\"" + svg_colour(paint.fill) + opacity);
  for (const Patch& patch : outline.patches) {
    out += svg_shape(patch.shape, "fill=\"" + svg_colour(lit(paint.fill, patch.light)) + opacity);
  }
  out += svg_shape(outline.shape, "fill=\"none\" stroke=\"" + svg_colour(paint.edge) + '"');
  return out + "</g>\n";
}

std::string svg_mark(const Outline& outline, const Rgb& colour, double width) {
  return svg_shape(outline.shape, "fill=\"none\" stroke-width=\"" + svg_number(width) +
                                      "\" stroke=\"" + svg_colour(colour) + '"');
}

std::string svg_line(double x, double y, const std::string& text, const std::string& style) {
  return "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\"" + style + '>' +
         svg_text(text) + "</text>\n";
}

}  // namespace

void paint_bodies(const Picture& picture, const Theme& theme, double edge, Canvas& canvas) {
  for (const Outline& outline : picture.outlines) {
    const Paint paint = paint_of(outline, theme);
    canvas.fill(outline.shape, paint.fill, paint.opacity);
    for (const Patch& patch : outline.patches) {
      canvas.fill(patch.shape, lit(paint.fill, patch.light), paint.opacity);
    }
    canvas.stroke(outline.shape, paint.edge, edge);
  }
  // Marks are painted last, so that no body hides them.
  for (const Outline& outline : picture.outlines) {
    if (const Rgb* const mark = mark_of(outline, picture.marks, theme)) {
      canvas.stroke(outline.shape, theme.ground, 2 * kMarkWidth * edge);
      canvas.stroke(outline.shape, *mark, kMarkWidth * edge);
    }
  }
}

void paint_lines(const Picture& picture, Canvas& canvas) {
  constexpr Rgb kBlack{0, 0, 0};
  constexpr Rgb kWhite{255, 255, 255};
  for (const Outline& outline : picture.outlines) {
    const bool marked =
        outline.body == picture.marks.fastest || outline.body == picture.marks.selected;
    if (!outline.fixed) canvas.fill(outline.shape, marked ? kWhite : kBlack);
    canvas.stroke(outline.shape, kWhite, 1);
  }
}

std::vector<std::string> caption_lines(const std::vector<std::string>& facts, std::uint32_t width) {
  constexpr std::string_view kGap = "   ";
  const std::size_t columns = std::max<std::size_t>(4, (width - 2 * kPadding) / kGlyphWidth);
  std::vector<std::string> lines;
  for (std::string fact : facts) {
    if (fact.size() > columns) fact = fact.substr(0, columns - 3) + "...";
    if (lines.empty() || lines.back().size() + kGap.size() + fact.size() > columns) {
      lines.push_back(std::move(fact));
    } else {
      lines.back().append(kGap).append(fact);
    }
  }
  return lines;
}

std::uint32_t caption_height(const std::vector<std::string>& lines) {
  return 2 * kPadding + static_cast<std::uint32_t>(lines.size()) * kLineHeight;
}

Canvas paint_page(const Picture& picture, const std::vector<std::string>& caption,
                  const PageSize& size) {
  ORRERY_ASSERT(size.height > caption_height(caption));
  const Theme& theme = kLightTheme;
  Canvas canvas(size.width, size.height, theme.ground);
  paint_bodies(picture, theme, 1, canvas);
  for (const Label& label : picture.labels) write_label(label, theme, canvas);
  const double width = size.width;
  const double height = size.height;
  double y = height - caption_height(caption);
  canvas.fill({{{0, y}, {width, y}, {width, height}, {0, height}}, 0}, {236, 236, 231});
  y += kPadding;
  for (const std::string& line : caption) {
    canvas.write({kPadding, y}, line, theme.text);
    y += kLineHeight;
  }
  return canvas;
}

std::string svg_page(const Picture& picture, const std::vector<std::string>& caption,
                     const PageSize& size) {
  ORRERY_ASSERT(size.height > caption_height(caption));
  const Theme& theme = kLightTheme;
  const std::string width = std::to_string(size.width);
  const std::string height = std::to_string(size.height);
  const double bar = size.height - caption_height(caption);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" +
                    height + "\" viewBox=\"0 0 " + width + ' ' + height +
                    "\" font-family=\"ui-monospace,DejaVu Sans Mono,monospace\" font-size=\"13\" "
                    "fill=\"" +
                    svg_colour(theme.text) + "\">\n<rect width=\"" + width + "\" height=\"" +
                    height + "\" fill=\"" + svg_colour(theme.ground) + "\"/>\n";
  for (const Outline& outline : picture.outlines) out += svg_outline(outline, theme);
  for (const Outline& outline : picture.outlines) {
    if (const Rgb* const mark = mark_of(outline, picture.marks, theme)) {
      out += svg_mark(outline, theme.ground, 2 * kMarkWidth) + svg_mark(outline, *mark, kMarkWidth);
    }
  }
  for (const Label& label : picture.labels) {
    out += svg_line(
        label.place.low.x, label.place.high.y - 3, label.text,
        " paint-order=\"stroke\" stroke-width=\"3\" stroke=\"" + svg_colour(theme.ground) + '"');
  }
  out += "<rect y=\"" + svg_number(bar) + "\" width=\"" + width + "\" height=\"" +
         std::to_string(caption_height(caption)) + "\" fill=\"#ecece7\"/>\n";
  double y = bar + kPadding + kGlyphHeight - 2;
  for (const std::string& line : caption) {
    out += svg_line(kPadding, y, line, " xml:space=\"preserve\"");
    y += kLineHeight;
  }
  return out + "</svg>\n";
}

}  // namespace orrery::cli

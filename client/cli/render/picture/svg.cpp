// Writes shapes and text of pictures as SVG.
#include "client/cli/render/picture/svg.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "common/core/printable.h"

namespace orrery::cli {
namespace {

std::string text(const Point& p) { return svg_number(p.x) + ',' + svg_number(p.y); }

// Returns the path of a capsule: two lines and two half circles.
std::string capsule_path(const FlatShape& capsule) {
  const Point& a = capsule.points[0];
  const Point& b = capsule.points[1];
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  const double along = length > 0 ? capsule.radius / length : 0;
  const Point across =
      length > 0 ? Point{-along * (b.y - a.y), along * (b.x - a.x)} : Point{capsule.radius, 0};
  const auto at = [&](const Point& p, double side) {
    return text({p.x + side * across.x, p.y + side * across.y});
  };
  const std::string r = svg_number(capsule.radius);
  const std::string arc = 'A' + r + ',' + r + " 0 0 1 ";
  return 'M' + at(a, 1) + arc + at(a, -1) + 'L' + at(b, -1) + arc + at(b, 1) + 'Z';
}

std::string element(const std::string& tag, const std::string& attributes,
                    const std::string& content) {
  const std::string open = '<' + tag + ' ' + attributes;
  return content.empty() ? open + "/>\n" : open + '>' + content + "</" + tag + ">\n";
}

}  // namespace

std::string svg_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text, 4000)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string svg_colour(const Rgb& colour) {
  std::array<char, 8> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "#%02x%02x%02x", colour.red, colour.green,
                colour.blue);
  return buffer.data();
}

std::string svg_number(double x) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.2f", x);
  return buffer.data();
}

std::string svg_shape(const FlatShape& shape, const std::string& attributes,
                      const std::string& content) {
  if (shape.radius == 0) {
    std::string list;
    for (const Point& p : shape.points) list += (list.empty() ? "" : " ") + text(p);
    return element("polygon", attributes + " points=\"" + list + '"', content);
  }
  if (shape.points.size() == 2) {
    return element("path", attributes + " d=\"" + capsule_path(shape) + '"', content);
  }
  const Point& centre = shape.points[0];
  return element("circle",
                 attributes + " cx=\"" + svg_number(centre.x) + "\" cy=\"" + svg_number(centre.y) +
                     "\" r=\"" + svg_number(shape.radius) + '"',
                 content);
}

}  // namespace orrery::cli

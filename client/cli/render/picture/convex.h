// Convex shapes in the plane of a picture.
#pragma once

#include <vector>

namespace orrery::cli {

// A point of a picture, in pixels to the right and down from its top left corner.
struct Point {
  double x = 0;
  double y = 0;

  friend bool operator==(const Point&, const Point&) = default;
};

// Returns twice the signed area of the triangle: positive if a, b and c turn from +x towards +y.
double turn(const Point& a, const Point& b, const Point& c);

// Returns the convex hull of points: its corners in order, each once. Points on one line give two
// corners, and equal points give one.
std::vector<Point> convex_hull(std::vector<Point> points);

// A rectangle. `low` has the smaller coordinates.
struct Rectangle {
  Point low;
  Point high;

  // Returns true if the rectangles have a common point.
  bool meets(const Rectangle& other) const {
    return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y &&
           other.low.y <= high.y;
  }
};

// Returns the smallest rectangle around discs of `radius` at all points. REQUIRES: there is a
// point.
Rectangle bounds_of(const std::vector<Point>& points, double radius);

// Returns the part of a convex polygon inside a rectangle: a convex polygon, or no points.
std::vector<Point> clipped(std::vector<Point> polygon, const Rectangle& to);

}  // namespace orrery::cli

// Describes a picture: panels with curves, axes and legends.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery::plot {

enum class Stroke { line, thin, dashed, dots, line_with_dots };

struct Curve {
  std::string title;
  int colour = 0;  // index into the palette of gnuplot.cpp; 0 is black, often the exact solution
  Stroke stroke = Stroke::line;
  std::vector<std::pair<double, double>> points;
};

struct Range {
  double low = 0;
  double high = 0;
};

struct Panel {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Curve> curves;
  std::optional<Range> x_range;
  std::optional<Range> y_range;
  bool x_logarithmic = false;
  bool y_logarithmic = false;
  bool square = false;  // same scale on both axes
  bool legend = true;
};

struct Chart {
  std::string title;
  std::vector<Panel> panels;
  int columns = 1;
};

}  // namespace orrery::plot

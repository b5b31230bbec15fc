// Owns the drawing of charts by gnuplot.
#pragma once

#include <string>

#include "client/lab/chart.h"
#include "common/core/result.h"

namespace orrery::lab {

enum class PictureFormat { svg, png };

// The commands and data that draw the chart on gnuplot's standard output.
std::string gnuplot_script(const Chart& chart, PictureFormat format);

// Whether draw() knows how to draw into a file of this name: it ends in .svg or .png.
Status check_picture_name(const std::string& path);

// Draws into a file of such a name; replaces it.
Status draw(const Chart& chart, const std::string& path);

}  // namespace orrery::lab

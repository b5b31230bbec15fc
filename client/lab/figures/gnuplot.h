// Owns the drawing of charts by gnuplot.
#pragma once

#include <string>

#include "client/lab/figures/chart.h"
#include "common/core/result.h"

namespace orrery::lab {

enum class PictureFormat { svg, png };

// The commands and data that draw the chart on gnuplot's standard output.
std::string gnuplot_script(const Chart& chart, PictureFormat format);

// What a file of this name is to hold: it ends in .svg or .png. An Error starts with the path.
Result<PictureFormat> picture_format(const std::string& path);

// The content of such a file, as gnuplot draws it.
Result<std::string> draw(const Chart& chart, PictureFormat format);

}  // namespace orrery::lab

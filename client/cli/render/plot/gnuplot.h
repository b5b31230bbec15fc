// Draws charts with gnuplot.
#pragma once

#include <string>

#include "client/cli/render/plot/chart.h"
#include "common/core/result.h"

namespace orrery::plot {

enum class PictureFormat { svg, png };

// Returns the commands and data with which gnuplot draws the chart to its standard output.
std::string gnuplot_script(const Chart& chart, PictureFormat format);

// Returns the picture format for the ending of the name, .svg or .png. Returns an Error that starts
// with the path if the name ends otherwise.
Result<PictureFormat> picture_format(const std::string& path);

// Runs gnuplot. Returns the content of the picture file. Returns an Error if gnuplot is missing or
// fails, or if its temporary file cannot be written.
Result<std::string> draw(const Chart& chart, PictureFormat format);

}  // namespace orrery::plot

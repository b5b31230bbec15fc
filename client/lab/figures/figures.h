// The figures of the source documents, and diagrams of our own.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "client/cli/render/plot/chart.h"

namespace orrery::lab {

using plot::Chart;

struct Figure {
  std::string_view name;
  // What the figure shows, and the document that contains it, if any.
  std::string_view about;
  Chart (*make)();
};

std::span<const Figure> fiedler_figures();
std::span<const Figure> corrected_verlet_figures();
std::span<const Figure> catto_figures();
std::span<const Figure> calculus_figures();
std::span<const Figure> comparison_figures();
std::span<const Figure> joint_figures();

// Returns all figures.
std::span<const Figure> figures();

// Returns the figure of that name, or null.
const Figure* find_figure(std::string_view name);

}  // namespace orrery::lab

// Owns the figures: those that the source documents show or describe, and diagrams of our own.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "client/lab/figures/chart.h"

namespace orrery::lab {

struct Figure {
  std::string_view name;
  std::string_view about;  // what it shows, and in which document
  Chart (*make)();
};

std::span<const Figure> fiedler_figures();
std::span<const Figure> corrected_verlet_figures();
std::span<const Figure> catto_figures();
std::span<const Figure> calculus_figures();
std::span<const Figure> comparison_figures();

// All of them.
std::span<const Figure> figures();

// Null if there is none of that name.
const Figure* find_figure(std::string_view name);

}  // namespace orrery::lab

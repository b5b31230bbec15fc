// Helpers for figures: curves of exact solutions and of runs.
#pragma once

#include <string>

#include "client/cli/render/plot/chart.h"
#include "client/lab/claims/claim_tools.h"

namespace orrery::lab {

using plot::Curve, plot::Panel, plot::Range, plot::Stroke;

// Indices into the palette: the usual colours of the main methods.
inline constexpr int kExactColour = 0;
inline constexpr int kEulerColour = 1;  // explicit Euler
// semi-implicit Euler, or the method that the figure is about
inline constexpr int kSemiImplicitColour = 2;
inline constexpr int kRungeKuttaColour = 3;
inline constexpr int kImplicitColour = 4;
inline constexpr int kVerletColour = 5;
inline constexpr int kCorrectedColour = 6;
inline constexpr int kOtherColour = 7;

enum class Quantity { position, velocity };

// Returns the exact position or velocity of the first coordinate over time.
Curve exact_curve(const Problem& problem, double from, double to,
                  Quantity quantity = Quantity::position);

// Returns the position of the first coordinate over time, in a run with fixed steps. The run starts
// at time 0. The curve omits points before the time `from`.
Curve run_curve(const std::string& title, int colour, const std::string& method,
                const Problem& problem, double dt, double to, double from = 0,
                Stroke stroke = Stroke::line);

// Returns the position of the first coordinate over time in a run with random steps.
Curve random_curve(const std::string& title, int colour, const std::string& method,
                   const Problem& problem, double dt, double to, std::uint64_t seed,
                   Stroke stroke = Stroke::line);

// Returns velocity over position of the first coordinate in a run.
Curve phase_curve(const std::string& title, int colour, const std::string& method,
                  const Problem& problem, double dt, std::uint64_t steps, Stroke stroke);

Panel time_panel(const std::string& title, const std::string& y_label, std::vector<Curve> curves);

}  // namespace orrery::lab

// Figures of a pendulum on a hinge in three engines, recorded with `bench fidelity`.
#include <array>

#include "client/lab/figures/figures.h"

namespace orrery::lab {
namespace {

// One engine's measurements. The pendulum is a rod of 1 m on a hinge, released at 30 degrees. A
// tick lasts 1/60 s. Joints conserve energy in "Orrery, rules 7", but not yet in "Orrery, rules 6".
// Bullet 3.24 and ODE 0.16 are the packages of Debian 12. Times are CPU time on a virtual Intel
// core; only their ratios mean something.
struct Engine {
  const char* name;
  int colour;
  // Element i is the energy after kMinutes[i] minutes with steps of 1/240 s, divided by the initial
  // energy.
  std::array<double, 7> energies;
  // Both arrays: element i is measured with kSteps[i] steps in a tick. `losses` is the relative
  // change of the amplitude in 60 s, without its sign: a gain for rules 7 and for the last element
  // of ODE, and a loss for all others. `costs` is the CPU time in microseconds for a simulated
  // second.
  std::array<double, 5> losses;
  std::array<double, 5> costs;
};

constexpr std::array<double, 7> kMinutes = {0, 1, 5, 10, 20, 40, 60};
constexpr std::array<int, 5> kSteps = {1, 2, 4, 8, 16};
constexpr Engine kEngines[] = {
    {"Orrery, rules 7",
     2,
     {1, 1.00000, 0.99994, 0.99998, 0.99994, 0.99998, 0.99998},
     {7.4e-9, 9.6e-9, 1.9e-9, 8.8e-10, 6.8e-10},
     {193, 279, 482, 858, 1526}},
    {"Orrery, rules 6",
     1,
     {1, 0.79385, 0.43288, 0.26842, 0.15044, 0.07536, 0.04915},
     {3.7e-1, 2.0e-1, 1.1e-1, 5.7e-2, 2.9e-2},
     {150, 222, 377, 681, 1293}},
    {"Bullet",
     5,
     {1, 0.99875, 0.98129, 0.94959, 0.90816, 0.83427, 0.76711},
     {1.0e-1, 1.8e-2, 2.4e-3, 3.2e-4, 7.1e-5},
     {119, 176, 299, 583, 1138}},
    {"ODE",
     3,
     {1, 1.00351, 1.00335, 0.99057, 0.99192, 0.99427, 0.99137},
     {6.0e-3, 6.9e-4, 7.2e-5, 5.2e-6, 3.0e-7},
     {46, 89, 170, 347, 693}},
};

Chart pendulum_hour() {
  Panel panel;
  panel.x_label = "minutes";
  panel.y_label = "energy E/E0";
  panel.y_range = Range{0, 1.1};
  for (const Engine& engine : kEngines) {
    Curve curve{engine.name, engine.colour, Stroke::line_with_dots, {}};
    for (std::size_t i = 0; i < kMinutes.size(); ++i) {
      curve.points.emplace_back(kMinutes[i], engine.energies[i]);
    }
    panel.curves.push_back(std::move(curve));
  }
  return {"Energy of a pendulum on a hinge over an hour, steps of 1/240 s", {panel}, 1};
}

Chart pendulum_loss() {
  Panel panel;
  panel.y_label = "loss of amplitude in 60 s";
  panel.x_logarithmic = panel.y_logarithmic = true;
  panel.y_range = Range{1e-10, 10};
  Panel steps = panel, costs = panel;
  steps.x_label = "step [s]";
  costs.x_label = "CPU time for a second [us]";
  for (const Engine& engine : kEngines) {
    Curve over_step{engine.name, engine.colour, Stroke::line_with_dots, {}};
    Curve over_cost = over_step;
    for (std::size_t i = 0; i < kSteps.size(); ++i) {
      over_step.points.emplace_back(1.0 / (60 * kSteps[i]), engine.losses[i]);
      over_cost.points.emplace_back(engine.costs[i], engine.losses[i]);
    }
    steps.curves.push_back(std::move(over_step));
    costs.curves.push_back(std::move(over_cost));
  }
  return {"Loss of amplitude of a pendulum on a hinge", {steps, costs}, 2};
}

constexpr Figure kJointFigures[] = {
    {"joint-energy", "energy of a pendulum over an hour, beside Bullet and ODE", pendulum_hour},
    {"joint-precision", "loss of amplitude over step and CPU time, beside Bullet and ODE",
     pendulum_loss},
};

}  // namespace

std::span<const Figure> joint_figures() { return kJointFigures; }

}  // namespace orrery::lab

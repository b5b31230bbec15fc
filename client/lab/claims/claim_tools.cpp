// Helpers for the measurements of claims.
#include "client/lab/claims/claim_tools.h"

#include <algorithm>

namespace orrery::lab {

EnergyStatistics oscillator_energy(const std::string& method, double theta, std::uint64_t steps) {
  Simulation<double> simulation(method, oscillator(), theta);
  EnergyStatistics energy;
  double sum = 0;
  for (std::uint64_t i = 0; i < steps; ++i) {
    simulation.step(theta);
    const double x = simulation.x(), v = simulation.v();
    energy.last = x * x + v * v;
    energy.min = std::min(energy.min, energy.last);
    energy.max = std::max(energy.max, energy.last);
    sum += energy.last;
  }
  energy.mean = sum / static_cast<double>(steps);
  return energy;
}

double retrace_distance() {
  constexpr double kStep = 0.1;
  constexpr int kCount = 1000;
  const Problem problem = oscillator();
  Simulation<double> forwards("backward-euler", problem, kStep);
  std::vector<std::pair<double, double>> path{{forwards.x(), forwards.v()}};
  for (int i = 0; i < kCount; ++i) {
    forwards.step(kStep);
    path.emplace_back(forwards.x(), forwards.v());
  }
  Simulation<double> backwards("explicit-euler", problem, -kStep);
  backwards.restart(path.back().first, path.back().second, -kStep);
  double distance = 0;
  for (int i = kCount - 1; i >= 0; --i) {
    backwards.step(-kStep);
    const auto& [x, v] = path[static_cast<std::size_t>(i)];
    distance = std::max(distance, std::hypot(backwards.x() - x, backwards.v() - v));
  }
  return distance;
}

}  // namespace orrery::lab

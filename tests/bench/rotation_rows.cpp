// Measures the cost of a step of each rotation method, for one body at a time.
#include <array>
#include <cmath>
#include <vector>

#include "client/lab/methods/lie_rotation.h"
#include "client/lab/methods/splitting.h"
#include "common/integrate/gyroscopic.h"
#include "common/integrate/momentum.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"

namespace orrery::bench {
namespace {

using namespace integrate;

constexpr int kBodies = 64;
constexpr int kSteps = 4'000;

// Returns boxes with different spins, so that the compiler cannot skip a step.
std::vector<RotationState<double>> tumbling_boxes() {
  std::vector<RotationState<double>> boxes(kBodies);
  for (int i = 0; i < kBodies; ++i) {
    set(boxes[static_cast<std::size_t>(i)], {0.01, 2 + 0.1 * i, 0.03}, {0, 0, 0, 1});
  }
  return boxes;
}

// Returns the nanoseconds of a step in scalar code.
template <class Method>
double nanoseconds(const Method& method) {
  const Triple<double> inertia = {1, 2, 3};
  std::vector<RotationState<double>> boxes = tumbling_boxes();
  std::vector<Method> methods(kBodies, method);
  for (std::size_t i = 0; i < boxes.size(); ++i) methods[i].start(boxes[i], inertia, 1 / 60.0);
  Best best;
  for (int round = 0; round < kRounds; ++round) {
    best.run([&] {
      for (int step = 0; step < kSteps; ++step) {
        for (std::size_t i = 0; i < boxes.size(); ++i) {
          methods[i].step(boxes[i], inertia, 1 / 60.0);
        }
      }
    });
  }
  return 1e9 * best.seconds() / (kSteps * kBodies);
}

}  // namespace

void print_rotation_rows() {
  const Functions<double> libm = {[](double x) { return std::exp(x); },
                                  [](double x) { return std::sin(x); },
                                  [](double x) { return std::cos(x); }};
  const double catto = nanoseconds(ImplicitGyroscopic<double>());
  const auto row = [catto](const char* name, const char* aim, double time) {
    print_row(format("rotation, scalar, %s", name), aim, format("%.1f ns", time),
              format("%.2f times the implicit gyroscopic step, %.1f ns", time / catto, catto));
  };
  row("Cayley midpoint", "2 times", nanoseconds(CayleyMidpoint<double>()));
  row("Cayley midpoint of order 4", "", nanoseconds(CayleyMidpoint4<double>()));
  row("splitting with sine and cosine", "", nanoseconds(TrigonometricSplitting<double>(libm)));
  row("implicit gyroscopic at the midpoint", "", nanoseconds(ImplicitGyroscopicMidpoint<double>()));
  row("RK4", "", nanoseconds(RotationRungeKutta4<double>()));
  row("explicit midpoint of the momentum", "", nanoseconds(MomentumMidpoint<double>(libm)));
  row("discrete Moser-Veselov", "", nanoseconds(MoserVeselov<double>()));
  row("Lie midpoint", "", nanoseconds(LieMidpoint<double>(libm)));
}

}  // namespace orrery::bench

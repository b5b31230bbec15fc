// The problems of the laboratory: equations of motion with known solutions, by name.
#pragma once

#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"

namespace orrery::lab {

// The scalar type of problems, exact solutions and measurements. Methods may run in another type.
using Real = long double;
inline constexpr Real kRealPi = std::numbers::pi_v<Real>;

// A ball that leaves the floor with less speed stays there, in m/s.
inline constexpr double kRestSpeed = 1e-6;

struct Parameter {
  std::string_view name;
  double value;
};

struct ProblemInfo {
  std::string_view name;
  std::string_view equation;
  std::string_view about;
  std::vector<Parameter> parameters;  // with their default values
};

// A setting of the command line: `--set key=value`.
struct Setting {
  std::string key;
  double value = 0;
};

// The acceleration as a function of time, position and velocity.
enum class Form {
  linear,      // constant - stiffness x - drag v
  polynomial,  // constant - 3 t + t^2
  sine,        // -sin t
  cosine,      // -cos t
  pendulum,    // -stiffness sin x
  kepler,      // -x / |x|^3 in the plane
  bounce,      // constant, above a floor at x = 0
  // stiffness (left - 2 x + right): left and right belong to the neighbours, and are 0 at a wall
  chain,
};

struct Problem {
  const ProblemInfo* info = nullptr;
  Form form = Form::linear;
  Real constant = 0;
  Real stiffness = 0;
  Real drag = 0;
  Real kept = 0;  // for `bounce`: the part of its speed that the ball keeps in a bounce
  // For `linear`: the stiffness of each spring to the origin, divided by the mass. `stiffness` is
  // their sum, except in the problem "inverted", which has no spring and a negative stiffness.
  std::vector<Real> springs;
  std::vector<Real> x0;
  std::vector<Real> v0;

  std::size_t dimension() const { return x0.size(); }
};

std::span<const ProblemInfo> problems();

// Makes a problem with the given parameters. An Error names the unknown problem or key, or the key
// with a wrong value, and says what would be right.
Result<Problem> make_problem(std::string_view name, std::span<const Setting> settings = {});

}  // namespace orrery::lab

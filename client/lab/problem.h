// Owns the problems of the laboratory: equations of motion with known solutions, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"

namespace orrery::lab {

// What problems, references and measurements are kept in, whatever a method computes in.
using Real = long double;

struct Parameter {
  std::string_view name;
  double value;
};

struct ProblemInfo {
  std::string_view name;
  std::string_view equation;
  std::string_view about;
  std::vector<Parameter> parameters;  // with their defaults
};

// One `--set key=value`.
struct Setting {
  std::string key;
  double value = 0;
};

// How the acceleration depends on time, position and velocity.
enum class Form {
  linear,      // constant - stiffness x - drag v
  polynomial,  // constant - 3 t + t^2
  sine,        // -sin t
  cosine,      // -cos t
  pendulum,    // -stiffness sin x
  kepler,      // -x / |x|^3 in the plane
  chain,       // stiffness (left - 2 x + right), the ends held by walls
};

struct Problem {
  const ProblemInfo* info = nullptr;
  Form form = Form::linear;
  Real constant = 0;
  Real stiffness = 0;
  Real drag = 0;
  std::vector<Real>
      springs;  // the stiffness of each spring to the origin; their sum is `stiffness`
  std::vector<Real> x0;
  std::vector<Real> v0;

  std::size_t dimension() const { return x0.size(); }
};

std::span<const ProblemInfo> problems();

// The problem of that name with its parameters set; an unknown name or key, or a value that makes
// no sense, is told with what would be right.
Result<Problem> make_problem(std::string_view name, std::span<const Setting> settings = {});

}  // namespace orrery::lab

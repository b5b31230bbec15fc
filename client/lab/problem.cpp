// The list of problems and the meaning of their parameters.
#include "client/lab/problem.h"

#include <algorithm>
#include <cmath>

#include "common/core/nearest.h"

namespace orrery::lab {

namespace {

constexpr double kParameterMax = 1e9;
constexpr double kChainMasses = 8;
constexpr double kChainMassesMax = 256;

// The parameters of a problem, by name.
class Values {
 public:
  explicit Values(const ProblemInfo& info) : values_(info.parameters) {}

  Real operator[](std::string_view name) const { return static_cast<Real>(find(name)->value); }
  void set(std::string_view name, double value) { find(name)->value = value; }
  bool has(std::string_view name) const { return find(name) != values_.end(); }

  bool omega_is_set = false;

 private:
  std::vector<Parameter>::iterator find(std::string_view name) {
    return std::find_if(values_.begin(), values_.end(), [&](auto& p) { return p.name == name; });
  }
  std::vector<Parameter>::const_iterator find(std::string_view name) const {
    return std::find_if(values_.begin(), values_.end(), [&](auto& p) { return p.name == name; });
  }

  std::vector<Parameter> values_;
};

const std::vector<ProblemInfo>& list() {
  static const std::vector<ProblemInfo> all = {
      {"constant", "x'' = g", "a constant force from rest", {{"g", 10}, {"x0", 0}, {"v0", 0}}},
      {"lander",
       "x'' = g",
       "lunar gravity less a thruster, from 100 m",
       {{"g", -1.12}, {"x0", 100}, {"v0", 0}}},
      {"oscillator",
       "x'' = -omega^2 x, omega^2 = k/m",
       "a mass on a spring",
       {{"omega", 1}, {"k", 1}, {"m", 1}, {"x0", 1}, {"v0", 0}}},
      {"damped",
       "m x'' = -k x - b v",
       "a mass on a spring with friction",
       {{"k", 15}, {"b", 0.1}, {"m", 1}, {"x0", 1000}, {"v0", 0}}},
      {"two-springs",
       "m x'' = -k1 x - k2 x",
       "a mass on two springs to the origin",
       {{"k1", 7.5}, {"k2", 7.5}, {"m", 1}, {"x0", 1}, {"v0", 0}}},
      {"gravity-spring",
       "x'' = g - (k/m) x",
       "a mass that hangs on a spring",
       {{"g", -9.8}, {"k", 15}, {"m", 1}, {"x0", 1}, {"v0", 0}}},
      {"drag",
       "x'' = g - (b/m) v",
       "a mass slowed by linear drag, and pulled if g is not 0",
       {{"b", 1}, {"g", 0}, {"m", 1}, {"x0", 0}, {"v0", 1}}},
      {"projectile", "x'' = g", "a ball thrown upwards", {{"g", -9.8}, {"x0", 0}, {"v0", 20}}},
      {"bounce",
       "x'' = g above a floor at 0, v -> -kept v on it",
       "a ball that bounces; a step that meets the floor is cut there",
       {{"g", -9.8}, {"kept", 0.8}, {"x0", 1}, {"v0", 0}}},
      {"polynomial-a",
       "x'' = t^2 - 3t",
       "x = t^4/12 - t^3/2 + t; at rest in its acceleration at the start",
       {{"x0", 0}, {"v0", 1}}},
      {"polynomial-b",
       "x'' = t^2 - 3t + 2",
       "x = t^4/12 - t^3/2 + t^2; accelerated at the start",
       {{"x0", 0}, {"v0", 0}}},
      {"sine", "x'' = -sin t", "a force that is no function of x", {{"x0", 0}, {"v0", 1}}},
      {"cosine", "x'' = -cos t", "the same, with a force at the start", {{"x0", 1}, {"v0", 0}}},
      {"pendulum",
       "x'' = -omega^2 sin x",
       "a mass on a rod; x is the angle from hanging",
       {{"omega", 1}, {"x0", 1}, {"v0", 0}}},
      {"inverted",
       "x'' = +omega^2 x",
       "a hill instead of a valley",
       {{"omega", 1}, {"x0", 0}, {"v0", 1}}},
      {"kepler",
       "x'' = -x / |x|^3 in the plane",
       "an ellipse of semi-axis 1 and eccentricity e, from its nearest point",
       {{"e", 0.5}}},
      {"chain",
       "m x_i'' = k (x_(i-1) - 2 x_i + x_(i+1)), walls at both ends",
       "n masses and n + 1 springs; x0 and v0 are those of the first mass",
       {{"n", kChainMasses}, {"k", 1}, {"m", 1}, {"x0", 1}, {"v0", 0}}},
  };
  return all;
}

Error out_of_range(std::string_view key, std::string_view right) {
  return {"--set " + std::string(key) + ": must be " + std::string(right)};
}

// Checks the range of a setting.
Status check(const ProblemInfo& info, const Setting& setting) {
  const double value = setting.value;
  if (!std::isfinite(value) || std::fabs(value) > kParameterMax) {
    return out_of_range(setting.key, "a finite number of at most 1e9 in size");
  }
  if (setting.key == "m" && !(value > 0)) return out_of_range("m", "above 0");
  if (setting.key == "omega" && !(value > 0)) return out_of_range("omega", "above 0");
  if (setting.key == "b" && value < 0) return out_of_range("b", "0 or above");
  if (setting.key == "e" && !(value >= 0 && value < 1)) {
    return out_of_range("e", "from 0 to below 1");
  }
  if (setting.key == "n" &&
      !(value >= 1 && value <= kChainMassesMax && value == std::floor(value))) {
    return out_of_range("n", "a whole number from 1 to 256");
  }
  if (setting.key == "kept" && !(value >= 0 && value <= 0.99)) {
    return out_of_range("kept", "from 0 to 0.99");
  }
  if (info.name == "bounce" && setting.key == "g" && !(value < 0)) {
    return out_of_range("g", "below 0");
  }
  if (info.name == "bounce" && setting.key == "x0" && value < 0) {
    return out_of_range("x0", "0 or above");
  }
  if (setting.key.starts_with("k") && value < 0) return out_of_range(setting.key, "0 or above");
  if (setting.key == "k" && info.name == "oscillator" && !(value > 0)) {
    return out_of_range("k", "above 0");
  }
  return ok_status();
}

Status apply(const ProblemInfo& info, std::span<const Setting> settings, Values& values) {
  bool by_spring = false;
  for (const Setting& setting : settings) {
    if (!values.has(setting.key)) {
      std::vector<std::string_view> known;
      for (const Parameter& parameter : info.parameters) known.push_back(parameter.name);
      return Error::at("--set", ": " + unknown_name("parameter", setting.key, known));
    }
    if (Status status = check(info, setting); !status) return status;
    values.omega_is_set = values.omega_is_set || setting.key == "omega";
    by_spring = by_spring || setting.key == "k" || setting.key == "m";
    values.set(setting.key, setting.value);
  }
  if (info.name == "oscillator" && values.omega_is_set && by_spring) {
    return Error::at("--set", ": omega follows from k and m; set either omega, or k and m");
  }
  return ok_status();
}

Form form_of(std::string_view name) {
  if (name.starts_with("polynomial")) return Form::polynomial;
  if (name == "sine") return Form::sine;
  if (name == "cosine") return Form::cosine;
  if (name == "pendulum") return Form::pendulum;
  if (name == "kepler") return Form::kepler;
  if (name == "chain") return Form::chain;
  if (name == "bounce") return Form::bounce;
  return Form::linear;
}

void place(const Values& values, Problem& problem) {
  if (problem.form == Form::kepler) {
    const Real e = values["e"];
    problem.x0 = {1 - e, 0};
    problem.v0 = {0, std::sqrt((1 + e) / (1 - e))};
    return;
  }
  const auto n = problem.form == Form::chain ? static_cast<std::size_t>(values["n"]) : 1;
  problem.x0.assign(n, 0);
  problem.v0.assign(n, 0);
  problem.x0[0] = values["x0"];
  problem.v0[0] = values["v0"];
}

// Sets the coefficients of the acceleration: forces divided by the mass. `g` is an acceleration
// already.
void add_forces(const Values& values, Problem& problem) {
  const std::string_view name = problem.info->name;
  const Real mass = values.has("m") ? values["m"] : 1;
  if (values.has("g")) problem.constant = values["g"];
  if (values.has("b")) problem.drag = values["b"] / mass;
  if (values.has("kept")) problem.kept = values["kept"];
  if (name == "polynomial-b") problem.constant = 2;
  if (name == "two-springs") {
    problem.springs = {values["k1"] / mass, values["k2"] / mass};
  } else if (name == "inverted") {
    problem.stiffness = -values["omega"] * values["omega"];
    return;
  } else if (name == "pendulum") {
    problem.stiffness = values["omega"] * values["omega"];
    return;
  } else if (name == "chain") {
    problem.stiffness = values["k"] / mass;
    return;
  } else if (name == "oscillator" && values.omega_is_set) {
    problem.springs = {values["omega"] * values["omega"]};
  } else if (values.has("k")) {
    problem.springs = {values["k"] / mass};
  }
  for (Real k : problem.springs) problem.stiffness += k;
}

}  // namespace

std::span<const ProblemInfo> problems() { return list(); }

Result<Problem> make_problem(std::string_view name, std::span<const Setting> settings) {
  const auto found =
      std::find_if(list().begin(), list().end(), [&](auto& info) { return info.name == name; });
  if (found == list().end()) {
    std::vector<std::string_view> known;
    for (const ProblemInfo& info : list()) known.push_back(info.name);
    return Error::at("--problem", ": " + unknown_name("problem", name, known));
  }
  Values values(*found);
  if (Status status = apply(*found, settings, values); !status) return status.error();
  Problem problem;
  problem.info = &*found;
  problem.form = form_of(name);
  place(values, problem);
  add_forces(values, problem);
  return problem;
}

}  // namespace orrery::lab

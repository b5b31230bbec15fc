// Declares the verbs of `orrery lab` and their options. Each verb returns the exit code.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace orrery::cli {

// A method and a problem, which most verbs take. Numbers stay text until they are checked.
struct LabChoice {
  std::string method;
  std::string problem;
  std::vector<std::string> settings;  // key=value
  bool json = false;
};

struct LabRunOptions : LabChoice {
  std::string dt;  // a number, or a ratio such as 1/60
  std::uint64_t steps = 0;
  std::uint64_t substeps = 1;
  std::optional<std::uint64_t> random_dt;
  std::string precision = "double";
};

struct LabEnergyOptions : LabChoice {
  std::uint64_t steps_per_period = 60;
  std::uint64_t periods = 100'000;
};

struct LabStabilityOptions : LabChoice {
  std::string dt = "0.1";  // of the step whose spectral radius is computed
};

struct LabRotateOptions {
  std::string method;
  std::string inertia = "1,2,3";
  std::string omega = "0.01,5,0.01";
  std::string dt = "1/60";
  std::uint64_t steps = 3'600;
  bool json = false;
};

struct LabClaimsOptions {
  std::vector<std::string> ids;
  bool thorough = false;
  bool json = false;
};

struct LabPlotOptions {
  std::string figure;
  std::string output;
  bool list = false;
  bool json = false;
};

struct LabOptions {
  bool json = false;  // of `methods` and `problems`
  LabRunOptions run;
  LabChoice order;
  LabStabilityOptions stability;
  LabEnergyOptions energy;
  LabRotateOptions rotate;
  LabClaimsOptions claims;
  LabPlotOptions plot;
};

int lab_methods(bool json);
int lab_problems(bool json);
int lab_run(const LabRunOptions& options);
int lab_order(const LabChoice& options);
int lab_stability(const LabStabilityOptions& options);
int lab_energy(const LabEnergyOptions& options);
int lab_rotate(const LabRotateOptions& options);
int lab_claims(const LabClaimsOptions& options);
int lab_plot(const LabPlotOptions& options);

// Adds `lab` and its verbs. Parsing stores the verb that was typed in `chosen`.
void add_lab(CLI::App& app, LabOptions& options, std::function<int()>& chosen);

}  // namespace orrery::cli

// Declares the options that verbs of `orrery lab` share, and the functions that parse their texts.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "client/cli/command_line/arguments.h"
#include "client/lab/method.h"
#include "client/lab/problem.h"
#include "common/core/result.h"

namespace orrery::cli {

inline constexpr const char* kStepsAbout = "Number of steps, at most 1000000000";
inline constexpr const char* kStepAbout =
    "Time step in seconds, as a number or a ratio: 0.01, 1/60";

// A method and a problem, as most verbs of `orrery lab` take them. Numbers stay text until they are
// checked.
struct LabChoice {
  std::string method;
  std::string problem;
  std::vector<std::string> settings;  // key=value
  bool json = false;
};

// Adds --method, --problem, --set and --json.
void add_choice(Verb& verb, LabChoice& choice);

// Reads a number, or a ratio such as 1/60. An Error starts with `option`.
Result<lab::Real> parse_number(const std::string& option, const std::string& text);

// Reads three numbers separated by commas. An Error starts with `option`.
Result<std::array<double, 3>> parse_triple(const std::string& option, const std::string& text);

// A problem with its parameters, and the options of the method.
struct LabPair {
  lab::Problem problem;
  lab::MethodOptions options;
};
Result<LabPair> parse_pair(const std::string& method, const std::string& problem,
                           const std::vector<std::string>& settings);

}  // namespace orrery::cli

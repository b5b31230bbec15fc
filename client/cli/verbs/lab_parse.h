// Reads the numbers and settings that `orrery lab` takes as text.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "client/lab/method.h"
#include "client/lab/problem.h"
#include "common/core/result.h"

namespace orrery::cli {

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

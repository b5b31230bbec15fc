// Owns the reading of numbers and settings that `orrery lab` is given as text.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "client/lab/method.h"
#include "client/lab/problem.h"
#include "common/core/result.h"

namespace orrery::cli {

// A number, or a ratio of two such as 1/60; `option` is what to name in the error.
Result<lab::Real> parse_number(const std::string& option, const std::string& text);

// Three numbers with commas between.
Result<std::array<double, 3>> parse_triple(const std::string& option, const std::string& text);

// A method on a problem, with the settings shared out between them.
struct LabPair {
  lab::Problem problem;
  lab::MethodOptions options;
};
Result<LabPair> parse_pair(const std::string& method, const std::string& problem,
                           const std::vector<std::string>& settings);

}  // namespace orrery::cli

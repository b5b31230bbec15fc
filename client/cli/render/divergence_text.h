// Owns the declaration of how the tool tells of a divergence, in text and in JSON.
#pragma once

#include <string>

#include "client/cli/json.h"
#include "client/cli/log_input.h"

namespace orrery::cli {

// Adds the fields of `orrery diff --json` behind `equal`. A divergence at a scene has no tick.
void add_divergence(const Explained& explained, json::Object& object);

// Prints a few lines for a person, indented. In a report of `orrery verify` a is what was recorded,
// b the replay.
void print_divergence(const Explained& explained);

// "0.1", the shortest text, and the bits: "0x3fb999999999999a".
std::string decimal(double value);
std::string hex(double value);

}  // namespace orrery::cli

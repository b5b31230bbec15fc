// Declares the options of verbs that draw pictures.
#pragma once

#include <string>

#include "client/cli/command_line/arguments.h"
#include "client/cli/render/picture/paint.h"
#include "client/cli/render/picture/view.h"

namespace orrery::cli {

// Adds --view, the name of an axis. REQUIRES: `view` is "front", "side" or "top".
Option add_view(Verb& verb, std::string& view);

// Returns the axis with this name. REQUIRES: add_view() accepted it.
Axis axis_named(const std::string& view);

// Adds --size, such as "960x600". REQUIRES: `size` is valid.
void add_size(Verb& verb, std::string& size);

// Returns the size. REQUIRES: add_size() accepted it.
PageSize size_named(const std::string& size);

}  // namespace orrery::cli

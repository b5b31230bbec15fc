// Declares the options of verbs that draw pictures.
#pragma once

#include <string>

#include "client/cli/command_line/arguments.h"
#include "client/cli/render/picture/paint.h"
#include "client/cli/render/picture/view.h"

namespace orrery::cli {

// Adds the option --view, the direction of view. The option writes its value to `view`. REQUIRES:
// `view` holds the default: "front", "side" or "top".
Option add_view(Verb& verb, std::string& view);

// Returns the axis named `view`. REQUIRES: `view` is a valid value of --view.
Axis axis_named(const std::string& view);

// Adds the option --size, such as "960x600" (pixels). The option writes its value to `size`.
// REQUIRES: `size` holds the default, which is a valid size.
void add_size(Verb& verb, std::string& size);

// Returns the width and height in `size`. REQUIRES: `size` is a valid value of --size.
PageSize size_named(const std::string& size);

}  // namespace orrery::cli

// Finds the installed page.
#pragma once

#include <string>

namespace orrery::host {

// Returns the folder of the installed page: PREFIX/share/orrery/web for the running program
// PREFIX/bin/NAME. Returns an empty string if the path of the program is unknown.
std::string page_folder();

}  // namespace orrery::host

// Finds the installed page.
#pragma once

#include <string>

namespace orrery::host {

// Returns the folder of the installed page, PREFIX/share/orrery/web. The program PREFIX/bin/NAME
// has this function, or a library in PREFIX/lib or in a folder of it. Returns an empty string if
// the path is unknown.
std::string page_folder();

}  // namespace orrery::host

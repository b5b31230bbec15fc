// Reads and writes the list of checks that fail today.
#pragma once

#include <map>
#include <string>

namespace orrery::field {

// For each check that fails today: the value that it gave.
using Known = std::map<std::string, double>;

// Reads the list, or ends the program.
Known read_known(const char* path);
void write_known(const char* path, const Known& known);

}  // namespace orrery::field

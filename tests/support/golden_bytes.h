// Reads golden bytes: lines `[name]`, each followed by lines of hexadecimal digits.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/source_path.h"

namespace orrery::test {

using GoldenBytes = std::map<std::string, std::vector<std::uint8_t>>;

// Reads a file below tests/golden. Returns an empty map if the file does not exist.
inline GoldenBytes read_golden_bytes(const std::string& file) {
  std::ifstream in(source_path("tests/golden/" + file));
  GoldenBytes golden;
  std::string line, name;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '[') {
      name = line.substr(1, line.size() - 2);
      continue;
    }
    for (std::size_t i = 0; i < line.size(); i += 2) {
      golden[name].push_back(static_cast<std::uint8_t>(std::stoi(line.substr(i, 2), nullptr, 16)));
    }
  }
  return golden;
}

}  // namespace orrery::test

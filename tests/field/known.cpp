// Reads and writes the list of checks that fail today.
#include "tests/field/known.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace orrery::field {
namespace {

constexpr const char* kHead =
    "# Checks of the field suite that fail today, with their values. `field --update` writes it.\n";

}  // namespace

Known read_known(const char* path) {
  std::ifstream in(path);
  if (!in) {
    std::fprintf(stderr, "field: cannot read %s\n", path);
    std::exit(2);
  }
  Known known;
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t end = line.rfind(" = ");
    if (end == std::string::npos) {
      std::fprintf(stderr, "field: %s: no value: %s\n", path, line.c_str());
      std::exit(2);
    }
    known[line.substr(0, end)] = std::strtod(line.c_str() + end + 3, nullptr);
  }
  return known;
}

void write_known(const char* path, const Known& known) {
  std::FILE* const out = std::fopen(path, "w");
  if (!out || std::fputs(kHead, out) < 0) {
    std::fprintf(stderr, "field: cannot write %s\n", path);
    std::exit(2);
  }
  for (const auto& [name, value] : known) std::fprintf(out, "%s = %.4g\n", name.c_str(), value);
  std::fclose(out);
}

}  // namespace orrery::field

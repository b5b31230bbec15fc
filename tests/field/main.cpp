// Runs small scenes and their variations, and compares each motion with the right one.
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>
#include <vector>

#include "tests/field/suite.h"

namespace orrery::field {
namespace {

struct Kind {
  const char* name;
  void (*check)(Suite& suite);
};

constexpr Kind kKinds[] = {
    {"rolling", check_rolling}, {"curved", check_curved},         {"dice", check_dice},
    {"pencils", check_pencils}, {"joints", check_joints},         {"motors", check_motors},
    {"movers", check_movers},   {"continuous", check_continuous}, {"friction", check_friction},
    {"misses", check_misses},   {"seams", check_seams},           {"springs", check_springs},
    {"held", check_held},       {"impacts", check_impacts},       {"spin", check_spin},
    {"sleep", check_sleep},     {"stacks", check_stacks},         {"legs", check_legs},
    {"nets", check_nets},       {"symmetry", check_symmetry},     {"energy", check_energy},
};

int usage(std::FILE* out) {
  std::fprintf(out,
               "usage: field [--all] [--verbose] [--update] [KIND...]\n\n"
               "--all      also run the large set of variations\n"
               "--verbose  print every check\n"
               "--update   write the failures of this run to known.txt\n\nkinds:");
  for (const Kind& kind : kKinds) std::fprintf(out, " %s", kind.name);
  std::fprintf(out, "\n");
  return out == stdout ? 0 : 2;
}

int run(const std::vector<std::string_view>& arguments) {
  bool all = false, verbose = false, update = false;
  std::vector<const Kind*> wanted;
  for (const std::string_view argument : arguments) {
    if (argument == "--help") return usage(stdout);
    if (argument == "--all") {
      all = true;
    } else if (argument == "--verbose") {
      verbose = true;
    } else if (argument == "--update") {
      update = true;
    } else {
      for (const Kind& kind : kKinds) {
        if (argument == kind.name) wanted.push_back(&kind);
      }
      if (wanted.empty() || argument != wanted.back()->name) return usage(stderr);
    }
  }
  if (wanted.empty()) {
    for (const Kind& kind : kKinds) wanted.push_back(&kind);
  }
  Suite suite(all, verbose ? Suite::Print::all : Suite::Print::unexpected, read_known(FIELD_KNOWN));
  for (const Kind* const kind : wanted) {
    const std::clock_t start = std::clock();
    kind->check(suite);
    std::printf("%s: %.1f s\n", kind->name,
                static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  const bool right = suite.finish();
  if (update) write_known(FIELD_KNOWN, suite.shown());
  return right || update ? 0 : 1;
}

}  // namespace
}  // namespace orrery::field

int main(int count, char** arguments) {
  return orrery::field::run({arguments + 1, arguments + count});
}

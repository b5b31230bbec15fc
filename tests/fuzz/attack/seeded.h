// Owns what programs that attack by seeds share: the command line, a process for each seed, and the
// list of the seeds that failed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace orrery::attack {

// How often each kind of thing happened. A kind that may happen is here from the start, with 0.
using Counts = std::map<std::string, std::uint64_t>;

struct Attempt {
  std::uint64_t seed = 0;
  bool planted = false;            // a fault is put in on purpose, and must be found
  std::filesystem::path folder;    // for files; empty at the start
  std::filesystem::path programs;  // where `orrery` is
  Counts counts;
  std::string problem;  // the first that was found; empty: none
};

struct Program {
  const char* name;
  const char* about;           // lines for --help
  std::uint64_t enough_seeds;  // that every kind of thing must happen in
  unsigned seconds_max;        // for one seed, on a machine that is busy
  void (*attack)(Attempt& attempt);
};

// Runs the seeds that the command line names. Returns the exit code.
int run_seeds(int argc, char** argv, const Program& program);

}  // namespace orrery::attack

// The main program of a check that runs once per seed: reads the command line, runs each seed in
// its own process, and lists the failed seeds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace orrery::attack {

// Numbers of occurrences by kind. Each possible kind has an entry from the start, with 0.
using Counts = std::map<std::string, std::uint64_t>;

// The input and the result of one seed.
struct Attempt {
  std::uint64_t seed = 0;
  bool planted = false;            // add a deliberate fault, which must be found
  std::filesystem::path folder;    // for temporary files; initially empty
  std::filesystem::path programs;  // folder of `orrery`
  Counts counts;
  std::string problem;  // first problem, or empty
};

// A program that runs one check for many seeds.
struct Program {
  const char* name;
  const char* about;                  // text for --help
  std::uint64_t enough_seeds;         // number of seeds after which every kind must have occurred
  const char* common_kind = nullptr;  // the kind that at least half of the seeds must have, if any
  unsigned seconds_max;               // wall-clock limit for one seed, on a busy machine
  void (*attack)(Attempt& attempt);
};

// Runs the attack of one seed in a child process, and sets the counts and the problem of `attempt`.
void run_apart(const Program& program, Attempt& attempt);

// Runs the seeds of the command line. Returns the exit code.
int run_seeds(int argc, char** argv, const Program& program);

}  // namespace orrery::attack

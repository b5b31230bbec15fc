// Owns the running of `orrery` and `orreryd` on hostile files: within bounds of time and memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace orrery::attack {

// What a program came to.
struct ProgramEnd {
  std::string command;  // what was typed, for people
  int exit_code = -1;   // -1: it ended by a signal
  int signal = 0;
  std::string out;
  std::string err;
  std::uint64_t peak_bytes = 0;  // of memory
};

// Runs a program in `folder`, with nothing on its standard input, and waits until it ends. It may
// take half a minute of CPU and some GiB of addresses; a program that needs more ends by a signal
// or finds no memory.
ProgramEnd run_program(const std::filesystem::path& program,
                       const std::vector<std::string>& arguments,
                       const std::filesystem::path& folder);

// What is wrong with the end of a program that was given a file it may refuse, or nothing: it must
// exit with 0, 1 or 2, and say printable lines on stderr that start with its name; with 2 exactly
// one.
std::string fault_of(const ProgramEnd& end);

// The value of a key in a JSON object of one line, as it stands there; empty if there is none.
std::string json_value(const std::string& object, const std::string& key);

}  // namespace orrery::attack

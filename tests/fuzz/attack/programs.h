// Runs `orrery` and `orreryd` on hostile files within limits of time and memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace orrery::attack {

// The result of a program.
struct ProgramEnd {
  std::string command;  // command line, for messages
  int exit_code = -1;   // -1 if a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
  std::uint64_t peak_bytes = 0;  // largest resident memory
};

// Runs a program in `folder` with empty standard input, and waits until it ends. A program that
// exceeds its time is ended by a signal. Without sanitizers, its address space is limited too, and
// allocations beyond the limit fail.
ProgramEnd run_program(const std::filesystem::path& program,
                       const std::vector<std::string>& arguments,
                       const std::filesystem::path& folder);

// Returns an error message if the program did not end correctly, or an empty string. It must stay
// within its time and memory, and exit with 0, 1 or 2. Every line on stderr must be printable.
// Lines other than log lines must start with the program's name, and exit code 2 needs exactly one
// of them.
std::string fault_of(const ProgramEnd& end);

// Returns the text of a key's value in a JSON object on one line, or an empty string.
std::string json_value(const std::string& object, const std::string& key);

}  // namespace orrery::attack

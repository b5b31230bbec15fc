// Reports an error that ends a program, such as a lack of memory, and gives the exit code. Keeps
// secrets out of core dumps.
#pragma once

#include <cerrno>
#include <cstring>
#include <exception>
#include <string>

namespace orrery::host {

// Advice for messages that say that memory has run out.
inline constexpr const char* kOutOfMemoryAdvice =
    "raise its limit (ulimit -v), end other programs, or take a smaller scene or log";

// Returns the remedy for an error that means too many open files, and nothing for other errors.
inline const char* open_files_advice(int error_number) {
  if (error_number == EMFILE) return "raise the limit of open files (ulimit -n)";
  if (error_number != ENFILE) return "";
  return "end other programs, or raise the limit of the system (sysctl fs.file-max)";
}

// Returns the text of an error of the system, and how to mend it: `remedy`, unless another one is
// known.
inline std::string explain_error(int error_number, const std::string& remedy = {}) {
  const std::string known = open_files_advice(error_number);
  const std::string& mend = known.empty() ? remedy : known;
  return std::strerror(error_number) + (mend.empty() ? "" : "; " + mend);
}

// Opens /dev/null as stdin, stdout or stderr where the program was started without them. Otherwise
// the next file that the program opens would get the number of the missing stream, and output for
// the stream would go into that file. Reads and writes still fail, as on a closed stream. Ends the
// program with code 2 if /dev/null cannot be opened. REQUIRES: called first in main().
void reserve_standard_streams();

// Prints one line to stderr: "PROGRAM: ", the error and advice, if there is any. Returns
// the exit code, 2.
int report_failure(const char* program, const std::exception& error);

// Makes an uncaught std::exception in any thread end the program with the line and exit code of
// report_failure(), not with a signal. REQUIRES: `program` is a string literal, which stays valid.
void report_uncaught_failures(const char* program);

// Forbids core dumps of this process, for all its life: a dump would contain its keys. Other
// programs of the same user can then not read its memory either. Call it before a key is read.
void forbid_core_dumps();

}  // namespace orrery::host

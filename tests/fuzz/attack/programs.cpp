// Runs `orrery` and `orreryd` on hostile files within limits of time and memory.
#include "tests/fuzz/attack/programs.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "common/core/assert.h"
#include "common/core/printable.h"

namespace orrery::attack {
namespace {

namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// A sanitized program uses terabytes of address space and ten times the time.
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr rlim_t kAddressesMax = rlim_t{3} << 30;
constexpr rlim_t kCpuSecondsMax = kSanitized ? 300 : 30;
constexpr unsigned kSecondsMax = 600;  // wall clock, on a busy machine
constexpr std::uint64_t kPeakBytesMax = std::uint64_t{256} << 20;

// --- in the child, before it executes the program ---

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit both{most, most};
  if (::setrlimit(resource, &both) != 0) std::_Exit(126);
}

void send_to(int descriptor, const char* path) {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ::dup2(file, descriptor) < 0) std::_Exit(126);
}

[[noreturn]] void become(const char* program, char* const* arguments, const char* folder) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::chdir(folder) != 0) std::_Exit(126);
  send_to(STDOUT_FILENO, "stdout");
  send_to(STDERR_FILENO, "stderr");
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0) std::_Exit(126);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, kCpuSecondsMax);
  if (!kSanitized) limit(RLIMIT_AS, kAddressesMax);
  ::alarm(kSecondsMax);
  ::execv(program, arguments);
  std::_Exit(126);
}

// --- in the parent ---

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool is_printable(const std::string& line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

std::string about(const ProgramEnd& end, const std::string& what) {
  return end.command + ": " + what +
         (end.err.empty() ? "" : "; stderr: " + printable(end.err, 400));
}

// Checks the lines on stderr. A log line starts with its year (20..) and may contain anything
// printable.
std::string fault_of_words(const ProgramEnd& end) {
  const std::string start = end.command.substr(0, end.command.find(' ')) + ": ";
  std::istringstream in(end.err);
  int lines = 0;
  for (std::string line; std::getline(in, line);) {
    if (!is_printable(line)) return about(end, "says what is not printable");
    if (line.starts_with("20")) continue;
    if (!line.starts_with(start)) return about(end, "says a line without its name");
    ++lines;
  }
  if (end.exit_code == 2 && lines != 1)
    return about(end, "fails without exactly one line of explanation");
  return {};
}

}  // namespace

ProgramEnd run_program(const fs::path& program, const std::vector<std::string>& arguments,
                       const fs::path& folder) {
  ProgramEnd end;
  end.command = program.filename();
  std::string path = program.string();
  std::vector<std::string> words = arguments;
  std::vector<char*> pointers{path.data()};
  for (std::string& word : words) {
    end.command += ' ' + word;
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  const pid_t process = ::fork();
  ORRERY_ASSERT(process >= 0);
  if (process == 0) become(path.c_str(), pointers.data(), folder.c_str());
  int status = 0;
  rusage used{};
  ORRERY_ASSERT(::wait4(process, &status, 0, &used) == process);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  end.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
  end.out = content_of(folder / "stdout");
  end.err = content_of(folder / "stderr");
  return end;
}

std::string fault_of(const ProgramEnd& end) {
  const bool late = end.signal == SIGXCPU || end.signal == SIGKILL || end.signal == SIGALRM;
  if (late) return about(end, "exceeds its time");
  if (end.signal != 0) return about(end, std::string("ends by ") + ::strsignal(end.signal));
  if (end.exit_code > 2) return about(end, "exits with " + std::to_string(end.exit_code));
  if (!kSanitized && end.peak_bytes > kPeakBytesMax) {
    return about(end, "uses " + std::to_string(end.peak_bytes >> 20) + " MiB");
  }
  if (end.err.find("bad_alloc") != std::string::npos) return about(end, "runs out of memory");
  return fault_of_words(end);
}

std::string json_value(const std::string& object, const std::string& key) {
  const std::size_t at = object.find('"' + key + "\":");
  if (at == std::string::npos) return {};
  const std::size_t begin = object.find_first_not_of(' ', at + key.size() + 3);
  return object.substr(begin, object.find_first_of(",}\n", begin) - begin);
}

}  // namespace orrery::attack

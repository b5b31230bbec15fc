// Runs a check for each seed in its own process, so that a crash or hang ends only that seed.
#include "tests/fuzz/attack/seeded.h"

#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "common/core/assert.h"
#include "common/host/process/terminal.h"

namespace orrery::attack {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::uint64_t first = 1;
  std::uint64_t last = 20;
  bool planted = false;
};

template <class Integer>
bool parse(std::string_view text, Integer& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// Parses "A..B", or "A" for a single seed.
bool parse_seeds(std::string_view text, Options& options) {
  const std::size_t dots = text.find("..");
  const bool one = dots == std::string_view::npos;
  return parse(text.substr(0, dots), options.first) &&
         parse(one ? text : text.substr(dots + 2), options.last) && options.first <= options.last;
}

std::optional<Options> parse_arguments(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--planted") {
      options.planted = true;
    } else if (name != "--seeds" || ++i == count || !parse_seeds(arguments[i], options)) {
      return std::nullopt;
    }
  }
  return options;
}

void print_usage(const Program& program) {
  std::printf(
      "usage: %s [--seeds A..B] [--planted]\n\n%s\n"
      "  --seeds A..B   seeds to run (default 1..20); a single seed that fails keeps its files\n"
      "  --planted      add a fault to each run, which must be found\n\n"
      "With %llu seeds or more, every counted kind must occur.\n"
      "Exit code: 0 if every seed passed; 1 if not, with a line for each failed seed.\n",
      program.name, program.about, static_cast<unsigned long long>(program.enough_seeds));
}

// A temporary folder that is removed at the end, unless it is kept.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "orrery-attack.XXXXXX").string();
    ORRERY_ASSERT(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    if (!kept_) fs::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }
  void keep() { kept_ = true; }
  void clear() const {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
  }

 private:
  fs::path path_;
  bool kept_ = false;
};

// --- the result of a process, sent to its parent as lines of text ---

std::string to_text(const Attempt& attempt) {
  std::string text;
  for (const auto& [name, count] : attempt.counts) {
    text += std::to_string(count) + ' ' + name + '\n';
  }
  return text + '\n' + attempt.problem;
}

void read_text(const std::string& text, Attempt& attempt) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const std::size_t space = line.find(' ');
    attempt.counts[line.substr(space + 1)] = std::stoull(line);
  }
  std::getline(in, attempt.problem, '\0');
}

void write_all(int pipe, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(pipe, text.data() + at, text.size() - at);
    if (written <= 0) std::_Exit(2);
    at += static_cast<std::size_t>(written);
  }
}

std::string read_all(int pipe) {
  std::string text;
  char part[4096];
  for (ssize_t count; (count = ::read(pipe, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(count));
  }
  return text;
}

// Describes how the process ended. Returns an empty text if it exited with 0.
std::string ended_by(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "takes too long";
  if (WIFSIGNALED(status)) return std::string("ends by ") + ::strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "exits with " + std::to_string(WEXITSTATUS(status));
}

// Prints the counts. If there were enough seeds, lists the kinds that did not occur often enough.
void report_kinds(const Counts& counts, const Program& program, std::uint64_t seeds, bool enough,
                  std::vector<std::string>& failed) {
  for (const auto& [name, count] : counts) {
    std::printf("%12llu %s\n", static_cast<unsigned long long>(count), name.c_str());
    if (!enough) continue;
    if (count == 0) failed.push_back("never occurred: " + name);
    const bool common = program.common_kind && name == program.common_kind;
    if (common && 2 * count < seeds) failed.push_back("in less than half of the seeds: " + name);
  }
}

int run_all(const Program& program, const Options& options) {
  Folder folder;
  const std::uint64_t seeds = options.last - options.first + 1;
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  host::ProgressBar bar(program.name, seeds);
  Counts counts;
  std::vector<std::string> failed;
  for (std::uint64_t seed = options.first; seed <= options.last; ++seed) {
    bar.show(seed - options.first);
    Attempt attempt{seed, options.planted, folder.path(), programs, {}, {}};
    run_apart(program, attempt);
    if (seeds > 1) folder.clear();
    for (const auto& [name, count] : attempt.counts) counts[name] += count;
    if (attempt.problem.empty()) continue;
    bar.clear();
    failed.push_back("seed " + std::to_string(seed) + ": " + attempt.problem);
    std::printf("%s\n", failed.back().c_str());
    std::fflush(stdout);
  }
  bar.clear();
  const std::size_t failed_seeds = failed.size();
  if (seeds == 1 && failed_seeds == 1) {
    folder.keep();
    std::printf("its files are in %s\n", folder.path().c_str());
  }
  const bool enough = seeds >= program.enough_seeds && !options.planted;
  report_kinds(counts, program, seeds, enough, failed);
  std::printf("%s --seeds %llu..%llu%s: %zu of %llu seeds failed\n", program.name,
              static_cast<unsigned long long>(options.first),
              static_cast<unsigned long long>(options.last), options.planted ? " --planted" : "",
              failed_seeds, static_cast<unsigned long long>(seeds));
  for (const std::string& line : failed) std::printf("  %s\n", line.c_str());
  return failed.empty() ? 0 : 1;
}

}  // namespace

void run_apart(const Program& program, Attempt& attempt) {
  int ends[2];
  ORRERY_ASSERT(::pipe(ends) == 0);
  const pid_t process = ::fork();
  ORRERY_ASSERT(process >= 0);
  if (process == 0) {
    ::close(ends[0]);
    ::alarm(program.seconds_max);
    program.attack(attempt);
    write_all(ends[1], to_text(attempt));
    std::_Exit(0);
  }
  ::close(ends[1]);
  read_text(read_all(ends[0]), attempt);
  ::close(ends[0]);
  int status = 0;
  ORRERY_ASSERT(::waitpid(process, &status, 0) == process);
  const std::string end = ended_by(status);
  if (!end.empty()) attempt.problem = "the test itself " + end;
}

int run_seeds(int argc, char** argv, const Program& program) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    print_usage(program);
    return 0;
  }
  const std::optional<Options> options = parse_arguments(argc, argv);
  if (!options) {
    std::fprintf(stderr, "%s: cannot use these arguments; see %s --help\n", program.name,
                 program.name);
    return 2;
  }
  return run_all(program, *options);
}

}  // namespace orrery::attack

// Assembles the name of this build.
#include "common/host/process/build.h"

#include "common/core/versions.h"
#include "host/build_commit.h"
#include "host/build_flags.h"

namespace orrery::host {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = "clang++ ";
constexpr const char* kCompilerVersion = __clang_version__;
#else
constexpr const char* kCompiler = "g++ ";
constexpr const char* kCompilerVersion = __VERSION__;
#endif

#if defined(__x86_64__)
constexpr const char* kArchitecture = "x86-64";
#elif defined(__aarch64__)
constexpr const char* kArchitecture = "aarch64";
#else
constexpr const char* kArchitecture = "another architecture";
#endif

// Returns flags that are in effect without being given by name, for example through -march=native.
std::string hidden_flags() {
  std::string flags;
#ifdef __FAST_MATH__
  flags += ", fast-math";
#endif
#if defined(__FMA__) && defined(__x86_64__)
  flags += ", fma";
#endif
  return flags;
}

}  // namespace

std::string build_name() {
  const std::string commit = kBuildCommit;
  const std::string version = kCompilerVersion;
  return std::string("orrery ") + ORRERY_VERSION + (commit.empty() ? "" : ", commit " + commit) +
         ", " + kCompiler + version.substr(0, version.find(' ')) + ", " + kArchitecture + ", " +
         kBuildFlags + hidden_flags();
}

std::string version_text(const std::string& program) {
  const std::string commit = kBuildCommit;
  return program + ' ' + ORRERY_VERSION + " (" + (commit.empty() ? "" : "commit " + commit + ", ") +
         "rules " + std::to_string(kRulesVersion) + ')';
}

}  // namespace orrery::host

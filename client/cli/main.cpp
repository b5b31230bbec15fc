// Runs the tool `orrery`: chooses the verb, prints help, and handles errors for all verbs.
#include <csignal>
#include <cstdio>
#include <exception>

#include "client/cli/command_line/arguments.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/float_environment.h"
#include "common/host/process/build.h"
#include "common/host/process/failure.h"
#include "common/host/process/sound_thread.h"

namespace orrery::cli {
namespace {

// All verbs, in the order of the help.
constexpr void (*kVerbs[])(Verb&) = {
    add_scenes, add_run,           add_verify, add_diff,   add_replay, add_draw,
    add_film,   add_log,           add_fork,   add_plot,   add_bot,    add_watch,
    add_token,  add_record_frames, add_codec,  add_netsim,
#ifdef ORRERY_LAB
    add_lab,
#endif
};

constexpr const char* kAbout =
    "Simulates physics deterministically: the same scene and commands give the same\n"
    "bits on every machine. Records, replays, verifies and compares sessions.";

constexpr const char* kExamples =
    R"(A SCENE is the name of a built-in scene, or the path of a scene file. Some
built-in scenes take a number of bodies: springs:1000.

Examples:
  orrery scenes                              # list the built-in scenes
  orrery run playground --log a.orrery       # simulate ten seconds, record them
  orrery verify a.orrery                     # replay it, compare every state
  orrery replay a.orrery --at 300 --bodies   # show every body after tick 300
  orrery fork a.orrery --at 300 --set gravity=0,0,0 -o c.orrery  # no gravity
  orrery diff a.orrery c.orrery              # find where two sessions differ
  orrery watch 127.0.0.1:4770                # show the bodies of a server
  orrery bot 127.0.0.1:4770 --count 8        # connect eight test clients

Help for one verb: orrery help run, or orrery run --help.

Exit codes: 0 success, 1 a check failed, 2 wrong usage or unusable input.)";

int run(int argc, char** argv) {
  if (!float_environment_is_sound()) throw host::FloatEnvironmentError();  // before any computation
  return run_command_line({"orrery", host::version_text("orrery"), kAbout, kExamples}, kVerbs, argc,
                          argv);
}

// Returns `exit_code`, or 2 if the output could not be written completely.
int judge_output(int exit_code) {
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return exit_code;
  return unusable("standard output cannot be written");
}

}  // namespace
}  // namespace orrery::cli

int main(int argc, char** argv) {
  orrery::host::reserve_standard_streams();
  orrery::host::report_uncaught_failures("orrery");
  std::signal(SIGXFSZ, SIG_IGN);  // a write past the file size limit then returns an error
  try {
    return orrery::cli::judge_output(orrery::cli::run(argc, argv));
  } catch (const std::exception& error) {
    return orrery::host::report_failure("orrery", error);
  }
}

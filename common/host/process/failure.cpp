// Reports an error that ends a program, such as a lack of memory. Keeps secrets out of core dumps.
#include "common/host/process/failure.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>

#include "common/core/printable.h"

namespace orrery::host {
namespace {

constexpr int kUnusable = 2;

const char* uncaught_of = "";

int report_no_memory(const char* program) {  // must not allocate
  std::fprintf(stderr, "%s: there is not enough memory; %s\n", program, kOutOfMemoryAdvice);
  return kUnusable;
}

// Returns advice about an error of the system. EAGAIN comes only from std::thread.
const char* advice(int error_number) {
  if (error_number != EAGAIN) return open_files_advice(error_number);
  return "give fewer threads or jobs, or raise the limits of threads and memory (ulimit -u, "
         "ulimit -v)";
}

int error_number(const std::exception& error) {
  if (const auto* std_error = dynamic_cast<const std::system_error*>(&error)) {
    return std_error->code().value();
  }
  const auto* asio_error = dynamic_cast<const boost::system::system_error*>(&error);
  return asio_error ? asio_error->code().value() : 0;
}

[[noreturn]] void end_uncaught() {
  static std::atomic_flag told;
  while (told.test_and_set()) ::pause();  // another thread is ending the program
  const std::exception_ptr uncaught = std::current_exception();
  // Without an exception, memory ran out even for throwing it, or the program has a bug.
  if (!uncaught) {
    if (!std::malloc(4096)) ::_exit(report_no_memory(uncaught_of));
    std::abort();
  }
  try {
    std::rethrow_exception(uncaught);
  } catch (const std::exception& error) {
    ::_exit(report_failure(uncaught_of, error));
  } catch (...) {
    std::abort();
  }
}

}  // namespace

void reserve_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The wrong direction makes reads and writes fail.
    const int direction = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", direction) != stream) ::_exit(kUnusable);
  }
}

int report_failure(const char* program, const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) return report_no_memory(program);
  constexpr std::size_t kLengthMax = 1000;  // of text that may be untrusted
  const int number = error_number(error);
  if (number == ENOMEM) return report_no_memory(program);
  const char* const mend = advice(number);
  std::fprintf(stderr, "%s: %s%s%s%s\n", program, number == EAGAIN ? "cannot start a thread: " : "",
               printable(error.what(), kLengthMax).c_str(), *mend ? "; " : "", mend);
  return kUnusable;
}

void report_uncaught_failures(const char* program) {
  uncaught_of = program;
  std::set_terminate(end_uncaught);
}

void forbid_core_dumps() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);       // succeeds: a limit may always be lowered
#if !defined(__SANITIZE_ADDRESS__)       // its leak checker reads the memory of the process
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // the limit alone does not stop a handler of dumps
#endif
}

}  // namespace orrery::host

// Runs the program of the determinism matrix with N threads in every tick.
//
//   matrix_threads N ...   the same as `matrix_program ...`
//
// The exit code is also 1 if hardly any tick had work for all N threads. Most golden ticks are of
// worlds with a few bodies. Two threads get work in 8 % of the ticks, and 16 threads in 3 %.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "common/core/limits.h"
#include "common/host/process/thread_pool.h"
#include "tests/determinism/matrix_program.h"

namespace orrery {
namespace {

// A thread pool that counts the ticks in which each thread was offered work.
class CountedTicks final : public Executor {
 public:
  explicit CountedTicks(std::uint32_t threads) : pool_(threads) {}

  std::uint32_t width() const override { return pool_.width(); }
  void run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) override {
    if (count >= pool_.width()) is_shared_ = true;
    pool_.run(count, task, context);
  }
  void begin_tick() override { is_shared_ = false; }
  void end_tick() override {
    ++ticks_;
    if (is_shared_) ++shared_;
  }
  std::uint64_t ticks() const { return ticks_; }
  // Returns the number of ticks with a task for each thread.
  std::uint64_t shared() const { return shared_; }

 private:
  host::ThreadPool pool_;
  bool is_shared_ = false;
  std::uint64_t ticks_ = 0, shared_ = 0;
};

constexpr std::uint64_t kTicksOfShared = 50;  // at least one tick in 50 must be shared

int main_of(int count, char** arguments) {
  const std::uint64_t threads = count < 2 ? 0 : std::strtoull(arguments[1], nullptr, 10);
  if (threads < 1 || threads > limits::kThreadsMax) {
    std::fprintf(stderr, "usage: matrix_threads N [arguments of matrix_program]\n");
    return 2;
  }
  CountedTicks pool(static_cast<std::uint32_t>(threads));
  const int code = run_matrix(count - 1, arguments + 1, pool);
  if (code != 0 || pool.shared() * kTicksOfShared >= pool.ticks()) return code;
  std::fprintf(stderr, "matrix_threads: only %" PRIu64 " of %" PRIu64 " ticks were shared\n",
               pool.shared(), pool.ticks());
  return 1;
}

}  // namespace
}  // namespace orrery

int main(int count, char** arguments) { return orrery::main_of(count, arguments); }

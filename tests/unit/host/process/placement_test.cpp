// Tests that workers stay off the processor of their caller.
#include "common/host/process/placement.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

namespace orrery {
namespace {

// Returns the processors on which a thread may run.
cpu_set_t processors_of(pthread_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::pthread_getaffinity_np(thread, sizeof(set), &set), 0);
  return set;
}

// A thread that waits until the object is destroyed.
class Waiting {
 public:
  Waiting() : thread_([this] { over_.wait(false); }) {}
  ~Waiting() {
    over_ = true;
    over_.notify_one();
  }
  pthread_t handle() { return thread_.native_handle(); }

 private:
  std::atomic<bool> over_{false};
  std::jthread thread_;
};

void use_only(unsigned processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  ASSERT_EQ(::pthread_setaffinity_np(::pthread_self(), sizeof(one), &one), 0);
}

TEST(Placement, KeepsAWorkerOffTheProcessorOfItsCaller) {
  const cpu_set_t allowed = processors_of(::pthread_self());
  if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "there is only one processor";
  // In a thread, so that this one keeps its processors.
  std::jthread([&] {
    host::Placement placement;
    EXPECT_EQ(placement.processors(), static_cast<std::uint32_t>(CPU_COUNT(&allowed)));
    Waiting worker;
    const std::array handles{worker.handle()};
    for (unsigned processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (!CPU_ISSET(processor, &allowed)) continue;
      use_only(processor);
      placement.follow_caller(handles);
      cpu_set_t others = allowed;
      CPU_CLR(processor, &others);
      const cpu_set_t now = processors_of(worker.handle());
      EXPECT_TRUE(CPU_EQUAL(&now, &others)) << processor;
    }
  }).join();
  const cpu_set_t after = processors_of(::pthread_self());
  EXPECT_TRUE(CPU_EQUAL(&after, &allowed));
}

TEST(Placement, LeavesWorkersAloneIfThereAreTooFewProcessors) {
  std::jthread([] {
    use_only(static_cast<unsigned>(::sched_getcpu()));
    host::Placement placement;
    EXPECT_EQ(placement.processors(), 1u);
    Waiting worker;
    const std::array handles{worker.handle()};
    const cpu_set_t before = processors_of(worker.handle());
    placement.follow_caller(handles);
    const cpu_set_t after = processors_of(worker.handle());
    EXPECT_TRUE(CPU_EQUAL(&after, &before));
  }).join();
}

}  // namespace
}  // namespace orrery

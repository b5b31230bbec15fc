// Tests that workers stay off the processor of their caller.
#include "common/host/process/placement.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

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

cpu_set_t only(unsigned processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return one;
}

cpu_set_t without(cpu_set_t set, unsigned processor) {
  CPU_CLR(processor, &set);
  return set;
}

void restrict(pthread_t thread, const cpu_set_t& set) {
  ASSERT_EQ(::pthread_setaffinity_np(thread, sizeof(set), &set), 0);
}

void expect_on(const cpu_set_t& set, pthread_t thread, unsigned processor) {
  const cpu_set_t now = processors_of(thread);
  EXPECT_TRUE(CPU_EQUAL(&now, &set)) << processor;
}

// Makes the system refuse this thread to set processors. Returns false if that is not possible.
bool refuse_processors() {
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{program.size(), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// For each processor that the calling thread may use, starts a thread that calls test(processor,
// placement, worker). Before it constructs the placement, that thread restricts itself to the
// processors of prepare(processor).
template <class Prepare, class Test>
void for_each_processor(Prepare prepare, Test test) {
  const cpu_set_t allowed = processors_of(::pthread_self());
  if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "there is only one processor";
  for (unsigned processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    std::jthread([&] {
      Waiting worker;
      restrict(::pthread_self(), prepare(processor));
      host::Placement placement;
      test(processor, placement, worker);
    }).join();
  }
}

TEST(Placement, KeepsAWorkerOffTheProcessorOfItsCaller) {
  const cpu_set_t allowed = processors_of(::pthread_self());
  for_each_processor([&](unsigned) { return allowed; },
                     [&](unsigned processor, host::Placement& placement, Waiting& worker) {
                       EXPECT_EQ(placement.processors(),
                                 static_cast<std::uint32_t>(CPU_COUNT(&allowed)));
                       const std::array handles{worker.handle()};
                       placement.keep_off(static_cast<int>(processor), handles);
                       expect_on(without(allowed, processor), worker.handle(), processor);
                     });
}

// The system may move the caller to another processor during the test. The test therefore knows
// only how many processors the worker may use: one less than the caller.
TEST(Placement, FollowsTheThreadThatCalls) {
  const cpu_set_t allowed = processors_of(::pthread_self());
  for_each_processor([&](unsigned) { return allowed; },
                     [&](unsigned processor, host::Placement& placement, Waiting& worker) {
                       const std::array handles{worker.handle()};
                       placement.follow_caller(handles);
                       const cpu_set_t now = processors_of(worker.handle());
                       EXPECT_EQ(CPU_COUNT(&now), CPU_COUNT(&allowed) - 1) << processor;
                     });
}

// `taskset -a -p` restricts all threads of a process while it runs.
TEST(Placement, LeavesWorkersWhereAnOperatorPutAllThreads) {
  const cpu_set_t allowed = processors_of(::pthread_self());
  for_each_processor([&](unsigned) { return allowed; },
                     [&](unsigned processor, host::Placement& placement, Waiting& worker) {
                       const std::array handles{worker.handle()};
                       restrict(::pthread_self(), only(processor));
                       restrict(worker.handle(), only(processor));
                       placement.follow_caller(handles);
                       expect_on(only(processor), worker.handle(), processor);
                     });
}

TEST(Placement, UsesProcessorsThatAreAllowedLater) {
  const cpu_set_t allowed = processors_of(::pthread_self());
  for_each_processor([](unsigned processor) { return only(processor); },
                     [&](unsigned processor, host::Placement& placement, Waiting& worker) {
                       EXPECT_EQ(placement.processors(), 1u);
                       const std::array handles{worker.handle()};
                       restrict(::pthread_self(), allowed);
                       placement.keep_off(static_cast<int>(processor), handles);
                       expect_on(without(allowed, processor), worker.handle(), processor);
                     });
}

TEST(Placement, LeavesWorkersAloneIfThereAreTooFewProcessors) {
  const cpu_set_t allowed = processors_of(::pthread_self());
  for_each_processor([](unsigned processor) { return only(processor); },
                     [&](unsigned processor, host::Placement& placement, Waiting& worker) {
                       const std::array handles{worker.handle()};
                       placement.follow_caller(handles);
                       expect_on(allowed, worker.handle(), processor);
                     });
}

// A thread pool calls the placement in each run. After a refusal the placement must pause: a system
// call in each run would cost more than the placement gains.
TEST(Placement, WaitsAfterARefusal) {
  const cpu_set_t allowed = processors_of(::pthread_self());
  std::atomic<bool> is_refused = true;
  const auto test = [&](unsigned processor, host::Placement& placement, Waiting& worker) {
    const std::array handles{worker.handle()};
    const auto call = [&] { placement.keep_off(static_cast<int>(processor), handles); };
    std::jthread([&] {
      is_refused = refuse_processors();
      if (is_refused) call();
    }).join();
    if (!is_refused) return;
    for (int i = 0; i < 10000; ++i) call();
    expect_on(allowed, worker.handle(), processor);
    call();
    expect_on(without(allowed, processor), worker.handle(), processor);
  };
  for_each_processor([&](unsigned) { return allowed; }, test);
  if (!is_refused) {
    GTEST_SKIP() << "this kernel or container allows no seccomp filter, and without one it refuses "
                    "no thread its processors";
  }
}

TEST(Placement, SharesProcessorsAmongJobs) {
  EXPECT_EQ(host::threads_of_each(8, 2, 16), 8u);
  EXPECT_EQ(host::threads_of_each(8, 4, 16), 4u);
  EXPECT_EQ(host::threads_of_each(2, 4, 16), 2u);
  EXPECT_EQ(host::threads_of_each(8, 3, 2), 1u);
  EXPECT_EQ(host::threads_of_each(8, 3, 0), 8u);  // 0 means unknown: more than 1,024 processors
}

}  // namespace
}  // namespace orrery

// Measures how much faster ticks are with more threads, back to back and at 60 Hz, and what limits
// the gain.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

#include "common/core/assert.h"
#include "common/host/process/placement.h"
#include "common/host/process/thread_pool.h"
#include "common/host/process/tick_threads.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/bench/contact_peers.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"

namespace orrery::bench {
namespace {

constexpr double kTick = 1.0 / 60;
// The classes of distance between two processors: their names, and for each the longest round trip
// of a cache line, in seconds.
constexpr int kDistances = 3;
constexpr const char* kNames[kDistances] = {"same core", "near", "far"};
constexpr double kRoundTrips[kDistances] = {70e-9, 200e-9, 1};
constexpr double kBlock = 0.1;  // seconds of a block of ticks on one thread
constexpr int kPairs = 15;
// Ticks before the first pair, in which TickThreads chooses its number of threads. In the rows with
// two threads that run without pauses, the warm-up does this.
constexpr int kSettle = 100;

double now() { return 1e-9 * static_cast<double>(host::monotonic_now()); }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Returns the seconds in which a cache line goes to a second processor and back.
double round_trip() {
  constexpr std::uint32_t kRounds = 4000;
  alignas(64) std::atomic<std::uint32_t> there{0};
  alignas(64) std::atomic<std::uint32_t> back{0};
  std::jthread other([&] {
    for (std::uint32_t i = 1; i <= kRounds; ++i) {
      while (there.load(std::memory_order_acquire) != i) continue;
      back.store(i, std::memory_order_release);
    }
  });
  host::Placement placement;
  const pthread_t handle = other.native_handle();
  placement.follow_caller({&handle, 1});
  double start = 0;
  for (std::uint32_t i = 1; i <= kRounds; ++i) {
    if (i == kRounds / 2) start = now();
    there.store(i, std::memory_order_release);
    while (back.load(std::memory_order_acquire) != i) continue;
  }
  return (now() - start) / (kRounds / 2 + 1);
}

// Returns the distance of the two processors that run this program, as an index of kNames. The
// distance is the time that a cache line takes from one to the other and back.
int distance() {
  const double seconds = round_trip();
  int i = 0;
  while (i + 1 < kDistances && seconds > kRoundTrips[i]) ++i;
  return i;
}

// Ratios of the time on one thread to the time on two. There is one list for each distance between
// the two processors, because the host of a virtual machine may change this distance at any time.
struct Ratios {
  std::vector<double> at[kDistances];
  int changed = 0;  // pairs in which the distance changed: they do not count

  std::string text() const {
    std::string text;
    for (int i = 0; i < kDistances; ++i) {
      if (at[i].empty()) continue;
      if (!text.empty()) text += ", ";
      text += format("%s %.2f [%zu]", kNames[i], median(at[i]), at[i].size());
    }
    return text;
  }
};

// Measures `pairs` pairs of times. one() and two() do the same work on one and on two threads, and
// return its time in seconds.
Ratios compare(int pairs, const std::function<double()>& one, const std::function<double()>& two) {
  Ratios ratios;
  for (int i = 0; i < pairs; ++i) {
    const int before = distance();
    const double first = one(), second = two();
    if (distance() != before) {
      ++ratios.changed;
    } else {
      ratios.at[before].push_back(first / second);
    }
  }
  return ratios;
}

double seconds_of(World& world, int ticks, Executor& executor) {
  const double start = now();
  for (int i = 0; i < ticks; ++i) step(world, {}, executor);
  return now() - start;
}

// Returns the median of the seconds that a tick takes if one begins every 1/60 s.
double paced_seconds(World& world, int ticks, Executor& executor) {
  std::vector<double> seconds;
  auto next = std::chrono::steady_clock::now();
  for (int i = 0; i < ticks; ++i) {
    std::this_thread::sleep_until(next += std::chrono::microseconds(16'667));
    seconds.push_back(seconds_of(world, 1, executor));
  }
  return median(seconds);
}

// Runs everything on the calling thread, in the ranges that two threads would get. Measures the
// time in these ranges, and counts the calls of run().
class CountingExecutor final : public Executor {
 public:
  std::uint32_t width() const override { return 2; }
  void run(std::uint32_t count, void (*task)(void*, std::uint32_t), void* context) override {
    const double start = now();
    for (std::uint32_t i = 0; i < count; ++i) task(context, i);
    shared_ += now() - start;
    ++runs_;
  }
  double shared() const { return shared_; }  // seconds in ranges
  double runs() const { return runs_; }

 private:
  double shared_ = 0;
  double runs_ = 0;
};

// Returns by how many seconds a job with one short task for each thread takes longer than one such
// task.
double hand_over_seconds(std::uint32_t threads) {
  host::ThreadPool pool(threads);
  constexpr int kJobs = 2000;
  const auto task = [](void*, std::uint32_t) {
    for (int i = 0; i < 2000; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
  };
  std::vector<double> costs;
  for (int i = 0; i < kJobs; ++i) {
    double start = now();
    task(nullptr, 0);
    const double one = now() - start;
    start = now();
    pool.run(threads, task, nullptr);
    costs.push_back(now() - start - one);
  }
  return median(costs);
}

struct Case {
  const char* scene;
  int warm_up;       // ticks before the measurement
  const char* near;  // aims
  const char* paced;
  const char* sixteen;
};

constexpr Case kCases[] = {
    {"pyramid", 60, "1.80", "1.6", "4.7"},    {"boxes:1000", 300, "1.75", "1.6", ""},
    {"spheres:5000", 120, "1.75", "1.6", ""}, {"spheres:100000", 20, "1.70", "", "5.8"},
    {"cubes", 60, "1.35", "1.2", ""},         {"free:10000", 10, "1.95", "1.75", ""},
    {"ragdolls:100", 120, "1.45", "1.3", ""},
};

// Prints the part of a tick that threads cannot share.
void print_serial_share(const char* scene, World& world, int ticks) {
  CountingExecutor counting;
  const double whole = seconds_of(world, ticks, counting) / ticks;
  const double shared = counting.shared() / ticks;
  print_row(format("%s: serial share of a tick", scene), "",
            format("%.1f %%", 100 * (1 - shared / whole)),
            format("%.0f us serial, %.0f us in ranges, %.0f hand-overs", 1e6 * (whole - shared),
                   1e6 * shared, counting.runs() / ticks));
}

void print_two_threads(const Case& c) {
  host::TickThreads pool(2);
  const Scene scene = built_in_scene(c.scene).value();
  SerialExecutor serial;
  World one(scene), two(scene);
  seconds_of(one, c.warm_up, serial);
  seconds_of(two, c.warm_up, pool);
  const double tick = seconds_of(one, 5, serial) / 5;
  const int ticks = std::max(2, static_cast<int>(kBlock / tick));
  print_serial_share(c.scene, one, ticks);
  seconds_of(two, 5 + ticks, pool);
  const Ratios free = compare(
      kPairs, [&] { return seconds_of(one, ticks, serial); },
      [&] { return seconds_of(two, ticks, pool); });
  print_row(format("%s, free-running: two threads, times one [pairs]", c.scene), c.near,
            free.text(),
            format("%.0f us a tick; the distance changed in %d pairs", 1e6 * tick, free.changed));
  if (tick < 0.75 * kTick) {
    host::TickThreads fresh(2);
    seconds_of(one, kSettle, serial);
    paced_seconds(two, kSettle, fresh);
    const Ratios paced = compare(
        kPairs, [&] { return paced_seconds(one, 20, serial); },
        [&] { return paced_seconds(two, 20, fresh); });
    print_row(format("%s, a tick every 1/60 s: two threads, times one", c.scene), c.paced,
              paced.text(), format("the distance changed in %d pairs", paced.changed));
  }
  ORRERY_ASSERT(one.hash() == two.hash());  // the ticks were the same
}

// Runs blocks of ticks in turn on one thread and on more, and prints the median ratio.
void print_many_threads(const Case& c, std::uint32_t threads) {
  host::TickThreads pool(threads);
  const Scene scene = built_in_scene(c.scene).value();
  SerialExecutor serial;
  World one(scene), many(scene);
  const double tick = seconds_of(one, c.warm_up, serial) / c.warm_up;
  seconds_of(many, c.warm_up, pool);
  const int ticks = std::max(2, static_cast<int>(kBlock / tick));
  seconds_of(one, kSettle, serial);
  seconds_of(many, kSettle, pool);
  std::vector<double> ratios, seconds;
  for (int i = 0; i < kPairs; ++i) {
    const double first = seconds_of(one, ticks, serial);
    seconds.push_back(seconds_of(many, ticks, pool));
    ratios.push_back(first / seconds.back());
  }
  ORRERY_ASSERT(one.hash() == many.hash());
  print_row(format("%s, free-running: %u threads, times one", c.scene, threads),
            threads == 16 ? c.sixteen : "", format("%.2f", median(ratios)),
            format("%.0f us a tick", 1e6 * median(seconds) / ticks));
}

// Measures the scene `pyramid` while other threads keep all processors but one busy.
void print_busy() {
  host::TickThreads pool(2);
  const Scene scene = built_in_scene("pyramid").value();
  SerialExecutor serial;
  World one(scene), two(scene);
  std::vector<std::jthread> busy;
  for (std::uint32_t i = 1; i < std::max(2u, host::Placement().processors()); ++i) {
    busy.emplace_back([](const std::stop_token& stop) {
      while (!stop.stop_requested()) continue;
    });
  }
  std::vector<double> ratios;
  seconds_of(one, kSettle, serial);
  seconds_of(two, kSettle, pool);
  for (int i = 0; i < kPairs; ++i) {
    const double first = seconds_of(one, 60, serial);
    ratios.push_back(first / seconds_of(two, 60, pool));
  }
  ORRERY_ASSERT(one.hash() == two.hash());
  print_row("pyramid, all processors but one busy: two threads, times one", "0.95",
            format("%.2f", median(ratios)), "");
}

void print_peer() {
  const Scene scene = built_in_scene("pyramid").value();
  const auto one = ode_peer(scene, 10), two = ode_peer(scene, 10, 2);
  const auto seconds = [](ContactPeer& peer) {
    const double start = now();
    for (int i = 0; i < 6; ++i) peer.step(kTick);
    return now() - start;
  };
  for (int i = 0; i < 5; ++i) seconds(*one), seconds(*two);
  const Ratios ratios = compare(
      kPairs, [&] { return seconds(*one); }, [&] { return seconds(*two); });
  print_row("pyramid in ODE: two threads, times one", "", ratios.text(), "");
}

}  // namespace

void print_thread_rows() {
  const std::uint32_t processors = host::Placement().processors();
  print_row("a cache line to the second processor and back", "",
            format("%.0f ns", 1e9 * round_trip()), "");
  print_row("hand-over of a range", "0.14 us near", format("%.2f us", 1e6 * hand_over_seconds(2)),
            "beyond the work of the range");
  for (const Case& c : kCases) print_two_threads(c);
  for (std::uint32_t threads = 4; threads <= std::min(processors, 16u); threads *= 2) {
    print_row(format("hand-over of ranges to %u threads", threads), "",
              format("%.2f us", 1e6 * hand_over_seconds(threads)), "beyond the work of a range");
    for (const Case& c : kCases) print_many_threads(c, threads);
  }
  print_busy();
  print_peer();
}

}  // namespace orrery::bench

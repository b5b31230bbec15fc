// Replays the log of a running session in a second world and thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/session/explain/divergence.h"
#include "common/session/flight/flight_recorder.h"
#include "common/world/world.h"

namespace orrery::server {

// Limit for all images in the flight recorder of the shadow.
inline constexpr std::size_t kFlightBytesMax = std::size_t{256} << 20;

// Progress of the shadow.
struct ShadowState {
  Tick tick;
  std::uint64_t passed_over = 0;  // ticks not compared, because the shadow was too slow
  // the state at `tick` differs from the session's; if false, all compared states agreed
  bool differs = false;
};

// A second world that follows the session, with its thread and its flight recorder.
class Shadow {
 public:
  // Called once, in the shadow's thread, when the first tick differs. In the divergence, a is the
  // session and b the shadow. The list has the newest ticks of the session, ascending, and begins
  // with a tick that has an image. The differing tick is in the list, unless it has left the
  // recorder. The recorder takes no ticks after this call.
  using Alarm =
      std::function<void(const session::Divergence&, const std::vector<session::FlightTick>&)>;

  // `world` is the state before the first tick to compare. Tests pass a smaller `bytes_max`, the
  // limit for all images. Throws the exceptions of start_checked_thread()
  // (host/process/sound_thread.h).
  Shadow(const World& world, std::string build, Alarm alarm,
         std::size_t bytes_max = kFlightBytesMax);
  // Compares the remaining ticks, up to the first that differs, and ends the thread. No effect
  // after end_within().
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  // Queues the last tick of the session. `record` is SessionLog::last_tick(), from which the shadow
  // reads the commands. Never waits for the shadow to step. If the shadow is so slow that its next
  // tick has left the recorder, it continues from the oldest state in the recorder. The ticks
  // between are not compared.
  void observe(const World& world, Bytes record);

  ShadowState state() const;

  // Ends the thread within `limit` plus the time of one tick. Returns how many of the last ticks
  // were not compared, or 0 after a divergence. REQUIRES: called once; no observe() follows.
  std::uint64_t end_within(std::chrono::milliseconds limit);

 private:
  void follow();
  // Returns whether the thread has nothing more to do.
  bool is_over() const;
  void end();
  // Steps own_ by the recorded commands. Returns false if the states or commands differ.
  bool agrees(const session::FlightTick& session);
  // Returns the tick after own_. If that tick has left the recorder, returns the oldest tick with
  // an image.
  std::uint64_t next_tick() const;
  // Reports that the tick in `session` diverged. Copies the image of that tick into `session`, if
  // the recorder has it.
  void raise(session::FlightTick& session);

  const std::string build_;
  const Alarm alarm_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  session::FlightRecorder recorder_;  // guarded by mutex_ until state_.differs
  bool ending_ = false;
  std::chrono::steady_clock::time_point end_at_ = std::chrono::steady_clock::time_point::max();
  ShadowState state_;
  World own_;  // used by the thread only
  SerialExecutor executor_;
  std::jthread thread_;
};

// Logs the divergence of an alarm.
void log_divergence(const session::Divergence& found);

}  // namespace orrery::server

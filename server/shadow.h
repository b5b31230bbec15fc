// Replays the log of a running session in a second world and thread, and keeps the last seconds of
// the session, in case the two worlds differ.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/host/disk/file_system.h"
#include "common/session/explain/divergence.h"
#include "common/world/world.h"

namespace orrery::server {

// One tick in the flight recorder.
struct FlightTick {
  Tick tick;
  std::uint64_t hash = 0;            // hash of the session's state
  std::vector<std::uint8_t> record;  // payload of the log record
  std::vector<std::uint8_t> image;   // session's state after the tick, or empty
};

// Length and size of the flight recorder. It keeps the ticks of at least the last kFlightSeconds.
// It also keeps images: one per second, and those of ticks that the shadow has not reached yet. If
// they would exceed kFlightBytesMax, it saves images less often. Images that grow may exceed the
// limit for a while.
inline constexpr std::uint64_t kFlightSeconds = 10;
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
  using Alarm = std::function<void(const session::Divergence&, const std::vector<FlightTick>&)>;

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
  void keep(const World& world, Bytes record);
  // Returns whether the image of this tick is a lasting one, which stays in the ring as long as the
  // tick. Other images are dropped when the shadow has passed their tick.
  bool is_lasting(std::uint64_t tick) const { return (tick - first_) % interval_ == 0; }
  void make_room(const World& world);
  void drop_image(FlightTick& tick);
  void follow();
  // Returns whether the thread has nothing more to do.
  bool is_over() const;
  void end();
  // Steps own_ by the recorded commands. Returns false if the states or commands differ.
  bool agrees(const FlightTick& session);
  // Returns the tick after own_. If that tick has left the recorder, returns the oldest tick with
  // an image.
  std::uint64_t next_tick();
  // Brings `world` to the state after `tick`: restores the newest image at or before `tick`, and
  // repeats the ticks after it. Returns false if the ring has no such image, or if another state
  // results.
  bool replay_to(std::uint64_t tick, World& world);
  // Reports that the tick in `session` diverged. Copies the image of that tick into `session`, if
  // the ring has it.
  void raise(FlightTick& session);
  bool holds(std::uint64_t tick) const { return tick >= oldest_ && tick <= newest_; }
  FlightTick& at(std::uint64_t tick) { return ring_[tick % ring_.size()]; }

  const std::string build_;
  const Alarm alarm_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  const std::uint64_t first_;    // tick of the world when the shadow started
  std::uint64_t interval_ = 0;   // ticks from one lasting image to the next
  std::size_t passing_max_ = 0;  // maximum number of other images
  std::size_t passing_ = 0;      // current number of other images
  const std::size_t bytes_max_;
  std::size_t images_size_ = 0;  // bytes of all images
  std::size_t last_image_size_ = 0;
  std::vector<FlightTick> ring_;  // ticks oldest_ to newest_
  std::vector<std::vector<std::uint8_t>> spare_images_;
  std::uint64_t oldest_ = 0;
  std::uint64_t newest_ = 0;
  bool ending_ = false;
  std::chrono::steady_clock::time_point end_at_ = std::chrono::steady_clock::time_point::max();
  ShadowState state_;
  World own_;  // used by the thread only
  SerialExecutor executor_;
  std::jthread thread_;
};

// Logs the divergence of an alarm.
void log_divergence(const session::Divergence& found);

// Writes the ticks of the flight recorder as a log and syncs it. PATH holds only the header, and
// PATH.0001 starts at the first image. The log has a checkpoint for each image, so
// `orrery verify PATH` finds the divergence that the shadow found. If PATH exists, uses PATH-2,
// PATH-3, ... and returns the path used. An Error names the file. REQUIRES: the first tick has an
// image.
Result<std::string> write_flight(const std::string& path, const Scene& scene,
                                 const std::string& build, const codec::SessionId& session,
                                 const std::vector<FlightTick>& ticks,
                                 host::FileSystem& files = host::file_system());

}  // namespace orrery::server

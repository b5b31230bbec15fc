// Owns the shadow: a second world, in a thread of its own, that replays the log of the session
// while that runs, and the flight recorder that stops when the two disagree.
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

// What the flight recorder keeps of a tick.
struct FlightTick {
  Tick tick;
  std::uint64_t hash = 0;            // as the session had it
  std::vector<std::uint8_t> record;  // the payload of its record, as the log has it
  std::vector<std::uint8_t> image;   // of the state after it, as the session had it; or empty
};

// How far back the recorder goes: so many seconds of ticks, and the states between which they lead:
// one a second, and those that the shadow has yet to come to, if they fit into so many bytes; else
// fewer.
inline constexpr std::uint64_t kFlightSeconds = 10;
inline constexpr std::size_t kFlightBytesMax = std::size_t{256} << 20;

// How far the shadow has come.
struct ShadowState {
  Tick tick;
  std::uint64_t passed_over = 0;  // ticks that were gone from the recorder before it came to them
  bool differs = false;           // at `tick`; else it agrees up to there
};

class Shadow {
 public:
  // Called once, by the thread of the shadow, at the first tick that differs: a is the session, b
  // the shadow; and the last ticks of the session, ascending, from one with an image on, that tick
  // among them. Nothing is observed any more.
  using Alarm = std::function<void(const session::Divergence&, const std::vector<FlightTick>&)>;

  // `world` is where the session starts. Tests have less room for images. Throws what
  // start_checked_thread() does (host/process/sound_thread.h).
  Shadow(const World& world, std::string build, Alarm alarm,
         std::size_t bytes_max = kFlightBytesMax);
  // Looks at what it has not seen yet, and ends.
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  // Takes the tick that the session has just made, and SessionLog::last_tick(), of which the shadow
  // knows the commands. Never waits for a step of the shadow: if that falls behind by more than the
  // recorder holds, it goes on from the oldest state there is, and for that once an image is taken.
  void observe(const World& world, Bytes record);

  ShadowState state() const;

  // Ends within this time and the tick that it is at. Returns how many ticks it has not seen. Once;
  // nothing may be observed after it.
  std::uint64_t end_within(std::chrono::milliseconds limit);

 private:
  void keep(const World& world, Bytes record);
  // Images of these ticks are kept as long as the ticks are.
  bool is_lasting(std::uint64_t tick) const { return (tick - first_) % interval_ == 0; }
  void make_room(const World& world);
  void drop_image(FlightTick& tick);
  void follow();
  // True if there is nothing more to look at.
  bool is_over() const;
  void end();
  // Steps the own world by what is recorded; false if the session went otherwise.
  bool agrees(const FlightTick& session);
  // The next tick to look at; another than the one behind the own world if that is gone.
  std::uint64_t next_tick();
  // Takes a world to the state after a tick up to which all agreed; false if nothing leads there.
  bool replay_to(std::uint64_t tick, World& world);
  // Takes the image of the tick from the ring.
  void raise(FlightTick& session);
  bool holds(std::uint64_t tick) const { return tick >= oldest_ && tick <= newest_; }
  FlightTick& at(std::uint64_t tick) { return ring_[tick % ring_.size()]; }

  const std::string build_;
  const Alarm alarm_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  const std::uint64_t first_;    // the tick that the session was at
  std::uint64_t interval_ = 0;   // of the ticks whose images last
  std::size_t passing_max_ = 0;  // images of other ticks, at most,
  std::size_t passing_ = 0;      // and now
  const std::size_t bytes_max_;
  std::size_t images_size_ = 0;  // of all that are kept
  std::size_t last_image_size_ = 0;
  std::vector<FlightTick> ring_;  // of ticks oldest_ to newest_
  std::vector<std::vector<std::uint8_t>> spare_images_;
  std::uint64_t oldest_ = 0;
  std::uint64_t newest_ = 0;
  bool ending_ = false;
  std::chrono::steady_clock::time_point end_at_ = std::chrono::steady_clock::time_point::max();
  ShadowState state_;
  World own_;  // of the thread
  SerialExecutor executor_;
  std::jthread thread_;
};

// The alarm in one line.
std::string to_line(const session::Divergence& found);

// Writes the ticks, of which the first has an image, as a log of their own, PATH and PATH.0001,
// with a checkpoint where there is an image, and brings it to the disk: `orrery verify PATH` comes
// to the same divergence, with every number of the session. Returns PATH, which is the one given
// or, so that no earlier flight is touched, PATH-2, PATH-3, ... An Error names the file.
Result<std::string> write_flight(const std::string& path, const Scene& scene,
                                 const std::string& build, const codec::SessionId& session,
                                 const std::vector<FlightTick>& ticks,
                                 host::FileSystem& files = host::file_system());

}  // namespace orrery::server

// Checks how far the extrapolated poses of a client are from the true ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/lib/frames/body_interpolator.h"
#include "common/world/world.h"

namespace orrery::fleet {

// A check of extrapolation. In every tick it asks a BodyInterpolator for the present poses of
// bodies, although the client has last seen these bodies some ticks ago. The BodyInterpolator
// cannot know later changes. The allowed error therefore depends on how much the acceleration has
// changed since the third last known state. Some bodies are not checked:
//
// - anchors, kinematic and sleeping bodies, grabbed bodies, and bodies faster than a
//   snapshot can code;
// - in worlds with contacts: bodies that touch something or have a joint, spring or tether.
//   Contacts and joints can make bodies jump, or move them back and forth within a tick.
class Prediction {
 public:
  // Takes the length of a tick and the number of slots from `world`.
  explicit Prediction(const World& world);

  // Adds a snapshot that the client shows.
  void add(const client::Snapshot& snapshot);

  // Compares the present poses with the world after a tick. Returns a message if a pose of the
  // previous tick was wrong. It waits a tick because only then are the contacts known that moved
  // the body in the previous tick. Call it after each tick.
  std::optional<std::string> check(const World& world);

  // Returns the number of compared poses.
  std::uint64_t compared() const { return compared_; }

 private:
  static constexpr std::size_t kMoments = 32;  // ticks
  static constexpr std::size_t kHeard = 3;     // states from which a BodyInterpolator extrapolates

  // The state of a body after a tick.
  struct Moment {
    bool free = false;  // true: its pose is checked
    BodyId id;
    Vec3 velocity;
    Vec3 spin;
  };
  // The ticks of the last states of a body that the client has received, oldest first.
  struct Heard {
    BodyId id;
    std::array<std::uint64_t, kHeard> ticks{};
  };
  // A pose outside the allowed error.
  struct Miss {
    std::uint32_t slot = 0;
    std::string what;
  };

  Moment& at(std::uint64_t tick, std::uint32_t slot) { return moments_[tick % kMoments][slot]; }
  void remember(const World& world);
  bool was_free(const Heard& heard, std::uint64_t now) const;
  void compare(const World& world, const client::BodyPose& pose);

  const std::uint64_t extrapolated_ticks_;  // longest extrapolation of a pose
  client::BodyInterpolator frame_;
  std::vector<Heard> heard_;  // indexed by slot
  std::array<std::vector<Moment>, kMoments> moments_;
  std::vector<Miss> misses_;
  std::uint64_t compared_ = 0;
};

}  // namespace orrery::fleet

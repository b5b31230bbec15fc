// Owns how near to the truth a client is that draws the present, of which it has not heard yet.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/lib/body_interpolator.h"
#include "common/world/world.h"

namespace orrery::fleet {

// Asks a Frame in every tick where bodies are by now that the client saw some ticks ago. It does
// not know what has changed since: how far a body may be off by that follows from how its
// acceleration has changed, up to now from the third last state on that was heard of. Of bodies
// that are held, and of those that touch or hang on something in a world with contacts, nothing is
// said: they are moved without being accelerated, or back and forth within a tick.
class Prediction {
 public:
  // Of the world's first tick that is checked on.
  explicit Prediction(const World& world);

  // What the client shows from now on.
  void add(const client::Snapshot& snapshot);

  // The world after each tick. What is wrong with the tick before, whose contacts are known by now.
  std::optional<std::string> check(const World& world);

  // Poses that were compared.
  std::uint64_t compared() const { return compared_; }

 private:
  static constexpr std::size_t kMoments = 32;  // ticks
  static constexpr std::size_t kHeard = 3;     // by which a Frame foresees

  // A body after a tick.
  struct Moment {
    bool free = false;
    BodyId id;
    Vec3 velocity;
    Vec3 spin;
  };
  // The last states of a body that the client has heard of, oldest first.
  struct Heard {
    BodyId id;
    std::array<std::uint64_t, kHeard> ticks{};
  };
  // Farther off than it may be.
  struct Miss {
    std::uint32_t slot = 0;
    std::string what;
  };

  Moment& at(std::uint64_t tick, std::uint32_t slot) { return moments_[tick % kMoments][slot]; }
  void remember(const World& world);
  bool was_free(const Heard& heard, std::uint64_t now) const;
  void compare(const World& world, const client::BodyPose& pose);

  client::BodyInterpolator frame_;
  std::vector<Heard> heard_;  // by slot
  std::array<std::vector<Moment>, kMoments> moments_;
  std::vector<Miss> misses_;
  std::uint64_t compared_ = 0;
};

}  // namespace orrery::fleet

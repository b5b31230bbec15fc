// Owns a seeded stream of commands: what a room full of clients might send, sense and nonsense.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/rng.h"
#include "common/world/command.h"
#include "common/world/world.h"

namespace orrery {

// Eight clients join and leave; those present thrust, push, grab, drag, spawn and remove. Some of
// what they ask for is refused: bodies that are gone or that they may not touch.
class CommandStream {
 public:
  explicit CommandStream(std::uint64_t seed) : draw_(seed) {}

  // The commands for the next tick of `world`, in order.
  std::span<const Command> next(const World& world);

 private:
  static constexpr std::uint32_t kClients = 8;

  void join_or_leave(std::uint32_t client);
  CommandPayload any_payload(const World& world);
  CommandPayload any_change(BodyId body, const Vec3f& v);
  BodyId any_body(const World& world);
  Vec3f any_vector(double scale);

  SplitMix64 draw_;
  bool joined_[kClients + 1] = {};
  std::uint32_t sequence_ = 0;
  std::vector<Command> commands_;
};

}  // namespace orrery

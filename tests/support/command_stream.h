// Generates a seeded stream of valid and invalid commands from several clients.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/rng.h"
#include "common/world/command.h"
#include "common/world/world.h"

namespace orrery {

// A generator of commands. Eight clients join and leave, and the joined ones thrust, twist,
// push, grab, drag, release, spawn, remove and set the gravity. The world refuses some of their
// commands, for example because a body is gone or the client may not command it.
class CommandStream {
 public:
  explicit CommandStream(std::uint64_t seed) : draw_(seed) {}

  // Returns the commands for the next tick of `world`, in the order in which the server would apply
  // them.
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

// How a test client plays: the commands that it gives when a new state arrives.
#pragma once

#include <memory>
#include <vector>

#include "client/cli/bots/bot.h"
#include "client/lib/snapshot_buffer.h"
#include "common/core/rng.h"

namespace orrery::client {

// The moment in which a bot plays: the newest state, and the means to give commands.
struct Turn {
  Client& client;
  const Snapshot& state;  // at least ids and positions; REQUIRES: it has a body
  SplitMix64& random;
  net::Nanoseconds now;

  // Gives a command. Returns false if too many wait.
  bool command(const CommandPayload& payload) { return client.command(payload, now); }
  // Returns a random point, at most `reach` from the centre in each direction.
  Vec3f around(const Vec3& centre, double reach);
  // Returns a random body of the state.
  const codec::BodyState& any();
  // Returns the body with this id, or nullptr.
  const codec::BodyState* find(BodyId id) const;
};

// A way to play.
class Behaviour {
 public:
  virtual ~Behaviour() = default;
  // Gives commands, or none. It is called once for each new state that has a body.
  virtual void play(Turn& turn) = 0;
};

// Returns a behaviour. REQUIRES: `kind` is not hostile.
std::unique_ptr<Behaviour> make_behaviour(BotKind kind);

}  // namespace orrery::client

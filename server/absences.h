// Ends the ownership of spawned bodies if their players stay away for too long.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/world/world.h"

namespace orrery::server {

// Most accounts that lose their bodies in one tick. The others follow in the next ticks.
inline constexpr std::size_t kDisownedPerTickMax = 64;

// The accounts that own spawned bodies but have no client in the session, and for how long. An
// absence begins in the tick in which the client leaves. A resume of the session restarts it.
class Absences {
 public:
  // Begins the absences of a session that is resumed, or has none.
  explicit Absences(const World& world);

  // Reads the clients and owners after a tick. Costs one pass over the bodies in a tick in which
  // somebody joined, left or got a body.
  void observe(const World& world);

  // Returns the accounts whose absence has reached `absence_max` of the scene when tick `next` is
  // made, at most kDisownedPerTickMax. They are valid until the next call.
  std::span<const std::uint64_t> over(Tick next);

 private:
  struct Absence {
    std::uint64_t account = 0;
    Tick since{};
  };

  void refresh(const World& world);

  const std::uint64_t ticks_max_;
  std::vector<Absence> absent_;      // ascending account
  std::vector<Absence> before_;      // scratch
  std::vector<std::uint64_t> over_;  // result of over()
};

}  // namespace orrery::server

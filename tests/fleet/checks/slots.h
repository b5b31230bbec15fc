// Checks that the clients of the server and of its world are the same, and the owners of bodies.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "server/server.h"
#include "tests/fleet/checks/violation.h"

namespace orrery::fleet {

// Checks that server and world have the same joined clients, and that thrusts and followers belong
// to joined clients. A spawned body stays with its account, until the account has had no client for
// the scene's `absence_max`, and no longer. At a server without accounts, it stays until its client
// leaves.
class Slots {
 public:
  // Begins with a server that starts or resumes. A resume restarts all absences.
  void watch(const World& world);
  // Checks the state after a tick. Call it after each tick.
  std::optional<Violation> check(const server::Server& server, const World& world);

 private:
  // The body in a slot and its owner, after the last tick.
  struct Owned {
    BodyId body{};
    std::uint64_t owner = 0;  // 0: nobody owns it, or it was not spawned
  };

  void note_absences(const World& world);
  std::optional<Violation> check_owners(const World& world);

  std::map<std::uint64_t, Tick> absent_since_;  // accounts without a client that own bodies
  std::vector<Owned> owned_;                    // by slot
  bool has_accounts_ = true;
};

// Checks that server and world keep no client. Call it when all clients are gone.
std::optional<Violation> check_slots_came_back(const server::Server& server, const World& world);

}  // namespace orrery::fleet

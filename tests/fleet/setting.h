// Derives the scene, the settings of the server and the deliberate fault of a run from its options.
#pragma once

#include <cstdint>

#include "common/net/gate/gate.h"
#include "common/session/explain/fault.h"
#include "common/world/scenes/scene.h"
#include "common/world/world.h"
#include "server/senders/snapshot_sender.h"
#include "tests/fleet/climate.h"
#include "tests/fleet/network.h"
#include "tests/fleet/simulation.h"

namespace orrery::fleet {

// Numbers of clients of each kind, and of the first client of a kind, which is also its account.
inline constexpr std::uint32_t kPlayers = 8;
inline constexpr std::uint32_t kNewcomer = 50;
inline constexpr std::uint32_t kBreaker = 52;
inline constexpr std::uint32_t kFirstRegular = 54;
inline constexpr std::uint32_t kHostiles = 2;
inline constexpr std::uint32_t kFirstHostile = 100;

inline constexpr std::uint32_t kStepsPerSecond = 240;
inline constexpr std::uint64_t kTicksPerWrite = 4;

// Lengths of the periods after the faults. At the end of kCalmSeconds, all clients have converged,
// except those with a dead connection that client or server has not noticed yet. At the end of
// kLongCalmSeconds, these clients are connected again. In kGoodbyeSeconds, all clients leave.
inline constexpr std::uint32_t kCalmSeconds = 2;
inline constexpr std::uint32_t kLongCalmSeconds = 15;
inline constexpr std::uint32_t kGoodbyeSeconds = 2;
// After kGoodbyeSeconds, some clients connect and leave kVisits times.
inline constexpr int kVisits = 6;
inline constexpr net::Nanoseconds kVisit = 300 * net::kMillisecond;
inline constexpr net::Nanoseconds kBetweenVisits = 200 * net::kMillisecond;

// Minimum time between the last crash and the calm. A restarted server rejects every token that was
// created before the restart, so clients need time to get new ones.
inline constexpr net::Nanoseconds kCrashFree = 8 * net::kSecond;

inline constexpr net::Nanoseconds kCalmDelay = 20 * net::kMillisecond;
inline constexpr net::Nanoseconds kTrip = 2 * kCalmDelay;

// Numbers of the independent random streams.
enum Purpose : std::uint64_t {
  kOfScene,
  kOfClimate,
  kOfTrouble,
  kOfServer,
  kOfTokens,
  kOfStrangers,
  kOfStrangersTokens,
  kOfDisk,
  kOfImpostor,
  kOfLevel,
  kOfPlayers = 100,
  kOfHostiles = 200,
  kOfRegulars = 300,
};

// Returns the scene of a run, with 45 to 64 bodies. If options.large is set, it has 300 or more, so
// that threads share each tick.
Scene scene_of(const RunOptions& options);

// Returns the key and address of the server. Half of the servers that never crash have a fresh key,
// and thus no accounts.
net::Access access_of(const Network& network, const Climate& climate, std::uint64_t seed);

// Sets the rate of snapshots, and the level at which frames of mode delta are coded: any of the
// three, by the seed.
void configure(server::SnapshotSender& snapshots, const RunOptions& options);

// Returns a fault a few seconds from now. It affects a body of the scene: players remove only
// spawned bodies, so the body still exists then.
session::Fault fault_to_come(const World& world);

}  // namespace orrery::fleet

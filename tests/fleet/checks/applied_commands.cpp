// Checks the commands that the server applies.
#include "tests/fleet/checks/applied_commands.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/codec/command_codec.h"

namespace orrery::fleet {
namespace {

constexpr const char* kOnce = "commands are applied once and in order";

// The rate of an admin, in commands per tick. By how much a client may exceed its rate in a tick,
// and in any number of ticks.
constexpr std::int64_t kAdminRate = 16;
constexpr std::int64_t kBurstMax = 8;
constexpr std::int64_t kCommandsAheadMax = 64;
// Largest number of commands that may come later than the skipped intervals in which they were
// given, and the number of ticks within which they may.
constexpr std::int64_t kSkippedMax = 64;
constexpr std::uint64_t kSkippedTicks = 120;

bool same(const CommandPayload& a, const CommandPayload& b) {
  return codec::encodes_equally({{}, {}, a}, {{}, {}, b});
}

// Returns true if the command always changes the world. This holds for an impulse on a body of the
// scene that anyone may push, because honest clients never remove such a body.
bool always_applies(const CommandPayload& payload, const Scene& scene) {
  const auto* const push = std::get_if<command::Impulse>(&payload);
  if (!push || push->impulse == Vec3f{} || push->body.value >= scene.bodies.size()) return false;
  const BodyDef& body = scene.bodies[push->body.value];
  return is_dynamic(body.kind) && body.control == Control::anyone;
}

std::string text_of(const Command& command) {
  return "command " + std::to_string(command.sequence.value) + " of client " +
         std::to_string(command.client.value);
}

}  // namespace

std::optional<Violation> AppliedCommands::check_tick(const World& world, net::Nanoseconds passed) {
  const std::vector<Command>& applied = world.applied();
  const auto unordered =
      std::adjacent_find(applied.begin(), applied.end(),
                         [](const Command& a, const Command& b) { return !comes_before(a, b); });
  if (unordered != applied.end()) return Violation{kOnce, text_of(*unordered) + " is out of order"};
  for (const Command& command : applied) {
    if (auto violation = take(command, world.scene())) return violation;
  }
  return compare_with_time(world.tick(), world.scene().tick_rate, passed);
}

void AppliedCommands::take_from_server(const CommandPayload& payload, const Scene& scene) {
  if (const auto* join = std::get_if<command::Join>(&payload)) {
    const bool is_admin = join->role == Role::admin;
    taken_[join->client.value] = {};
    taken_[join->client.value].rate = is_admin ? kAdminRate : scene.commands_per_tick;
  } else if (const auto* leave = std::get_if<command::Leave>(&payload)) {
    taken_.erase(leave->client.value);
  }
}

std::optional<Violation> AppliedCommands::take(const Command& command, const Scene& scene) {
  if (command.client == kServer) {
    take_from_server(command.payload, scene);
    return std::nullopt;
  }
  const std::uint32_t client = command.client.value;
  const auto taken = taken_.find(client);
  if (taken == taken_.end()) return Violation{kOnce, text_of(command) + ", which is not joined"};
  // The order of sequences is not checked: a command for a later tick is applied after commands
  // with higher sequences. Only a repeated sequence is an error.
  ++taken->second.in_tick;
  if (!taken->second.sequences.insert(command.sequence.value).second) {
    return Violation{kOnce, text_of(command) + " is taken again"};
  }
  Session* const session = sessions_[client];
  if (session && session->hostile) return std::nullopt;
  const bool known = session && command.sequence.value <= session->given.size();
  if (!known || !same(session->given[command.sequence.value - 1].payload, command.payload)) {
    return Violation{kOnce, text_of(command) + " is none that it has given"};
  }
  session->given[command.sequence.value - 1].taken = true;
  return std::nullopt;
}

// Kadane's algorithm: the largest excess of commands over intervals in any window that ends here. A
// tick is an interval, also if it is caught up. The other intervals that passed were skipped.
std::optional<Violation> AppliedCommands::compare_with_time(Tick tick, std::uint32_t rate,
                                                            net::Nanoseconds passed) {
  const std::uint64_t reached =
      passed / net::kSecond * rate + passed % net::kSecond * rate / net::kSecond;
  const std::uint64_t skipped = std::max(reached, intervals_ + 1) - intervals_ - 1;
  intervals_ += 1 + skipped;
  if (skipped > 0) skips_until_ = tick.value + kSkippedTicks;
  const std::int64_t least = tick.value <= skips_until_ ? -kSkippedMax : 0;
  for (auto& [client, taken] : taken_) {
    const std::int64_t places = taken.rate * static_cast<std::int64_t>(skipped);
    const std::int64_t before = std::max(taken.ahead - places, least);
    const std::int64_t in_tick = std::exchange(taken.in_tick, 0);
    taken.ahead = before + in_tick - taken.rate;
    if (in_tick <= taken.rate + kBurstMax - least && taken.ahead <= kCommandsAheadMax) continue;
    return Violation{"nobody is faster than time",
                     std::to_string(in_tick) + " commands of client " + std::to_string(client) +
                         " go into a tick, and " + std::to_string(taken.ahead) +
                         " exceed its time"};
  }
  return std::nullopt;
}

std::optional<Violation> check_acknowledged(Session& session, Sequence acknowledged,
                                            const Scene& scene) {
  for (; session.acknowledged < acknowledged.value; ++session.acknowledged) {
    const bool given = session.acknowledged < session.given.size();
    const Session::Given* const command = given ? &session.given[session.acknowledged] : nullptr;
    const bool may_wait = given && command->named.value != 0;
    if (given && (command->taken || may_wait || !always_applies(command->payload, scene))) continue;
    return Violation{kOnce, "command " + std::to_string(session.acknowledged + 1) + " of client " +
                                std::to_string(session.client.value) +
                                " is acknowledged but was not applied"};
  }
  return std::nullopt;
}

std::optional<Violation> check_all_applied(const Session& session, Sequence acknowledged,
                                           const Scene& scene) {
  const auto is_lost = [&scene](const Session::Given& given) {
    return !given.taken && always_applies(given.payload, scene);
  };
  const auto lost = std::find_if(session.given.begin(), session.given.end(), is_lost);
  const bool all = acknowledged.value == session.given.size();
  if (all && lost == session.given.end()) return std::nullopt;
  const auto number = all ? lost - session.given.begin() + 1 : acknowledged.value + std::int64_t{1};
  return Violation{"what is acknowledged is taken",
                   "command " + std::to_string(number) + " of client " +
                       std::to_string(session.client.value) +
                       (all ? " was never applied" : " is not acknowledged")};
}

}  // namespace orrery::fleet

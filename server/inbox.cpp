// Brings the commands of all clients into a total order.
#include "server/inbox.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "server/absences.h"

namespace orrery::server {
namespace {

// Returns the sequence up to which all commands are settled, that is, not waiting for `tick` or an
// earlier tick. This is the sequence before the first command that waits and is due. If no such
// command waits, it is `received`.
Sequence settled_by(std::span<const codec::message::TimedCommand> waiting, Sequence received,
                    Tick tick) {
  const auto due = [tick](const codec::message::TimedCommand& t) { return t.tick <= tick; };
  const auto first = std::find_if(waiting.begin(), waiting.end(), due);
  if (first == waiting.end()) return received;
  ORRERY_ASSERT(first->command.sequence.value > 0);
  return Sequence{first->command.sequence.value - 1};
}

// Returns by how much a command for `tick` is early if it arrives `early` units before `next`
// closes. A unit is one of codec::CommandMargin. Returns the smallest or largest margin if `tick`
// is far from `next`.
codec::CommandMargin margin_of(Tick tick, Tick next, int early) {
  constexpr std::uint64_t kFar = 4096;
  const bool late = tick < next;
  const std::uint64_t apart = late ? next.value - tick.value : tick.value - next.value;
  const auto units =
      static_cast<std::int64_t>(std::min(apart, kFar)) * codec::CommandMargin::kPerTick;
  return codec::CommandMargin((late ? -units : units) + early);
}

}  // namespace

Inbox::Inbox(std::uint32_t clients_max, std::uint32_t rate) : clients_(clients_max), rate_(rate) {
  ORRERY_ASSERT(rate >= 1 && rate <= limits::kCommandRateMax);
  closed_.reserve(limits::kCommandsPerTickMax);
}

void Inbox::join(ClientId client, Role role, std::uint64_t account, Bytes user_data) {
  Client& c = clients_[client];
  ORRERY_ASSERT(!c.joined);
  c.joined = true;
  highest_ = std::max(highest_, client);
  c.received = c.acknowledged = c.cut = Sequence{};
  c.margin = {};
  c.rate = role == Role::admin ? limits::kCommandRateMax : rate_;
  c.booked = c.skipped = 0;
  c.waiting.reserve(limits::kCommandsQueuedMax);
  joins_.push_back({client, role, account, command::Value(user_data)});
}

void Inbox::leave(ClientId client) {
  Client& c = clients_[client];
  ORRERY_ASSERT(c.joined);
  c.joined = false;
  c.waiting.clear();
  // A client that joined and left between two ticks never appears in the log.
  const auto is_it = [&](const command::Join& j) { return j.client == client; };
  if (std::erase_if(joins_, is_it) == 0) leaves_.push_back(client);
}

void Inbox::accept(ClientId client, std::span<const codec::message::TimedCommand> commands,
                   Tick next, int early) {
  Client& c = clients_[client];
  ORRERY_ASSERT(c.joined && !commands.empty());
  if (commands.front().command.sequence.value > c.received.value + 1) {
    ++counters_.gaps;
    return;
  }
  for (const codec::message::TimedCommand& timed : commands) {
    ORRERY_ASSERT(timed.command.client == client);
    if (timed.command.sequence <= c.received) {
      ++counters_.repeated;
      continue;
    }
    ORRERY_ASSERT(timed.command.sequence.value == c.received.value + 1);
    if (c.waiting.size() == limits::kCommandsQueuedMax) {
      ++counters_.no_room;
      c.cut = commands.back().command.sequence;
      return;
    }
    c.received = timed.command.sequence;
    // A command that waited for room was not late on its path.
    if (timed.tick.value != 0 && c.received > c.cut)
      c.margin.add(margin_of(timed.tick, next, early));
    const Tick latest{next.value + limits::kCommandTicksAhead};
    counters_.too_early += timed.tick > latest;
    counters_.late += timed.tick.value != 0 && timed.tick < next;
    c.waiting.push_back(timed);
    c.waiting.back().tick = std::min(timed.tick, latest);
  }
}

std::span<const Command> Inbox::close(Tick next, std::uint64_t skipped, std::size_t reserve) {
  closed_.clear();
  refused_.clear();
  close_population();
  skip(next, skipped);
  take_all(next, reserve);
  for (Client& c : used()) {
    const Sequence settled = settled_by(c.waiting, c.received, next);
    c.acknowledged = std::max(c.acknowledged, settled);
  }
  ORRERY_ASSERT(closed_.size() <= limits::kCommandsPerTickMax);
  return closed_;
}

// Adds intervals that passed without a tick. The commands of that time may name ticks that are
// kCommandTicksAhead later, so a client may book the intervals until then.
void Inbox::skip(Tick next, std::uint64_t skipped) {
  if (skipped == 0) return;
  const bool lapsed = next > skips_until_;
  skips_until_ = Tick{next.value + limits::kCommandTicksAhead};
  for (Client& c : used()) {
    const std::uint64_t added = std::min<std::uint64_t>(skipped, limits::kCommandsQueuedMax);
    const std::uint64_t sum = (lapsed ? 0 : c.skipped) + added * c.rate;
    c.skipped = std::min<std::uint64_t>(sum, limits::kCommandsQueuedMax);
  }
}

void Inbox::take_all(Tick next, std::size_t reserve) {
  const auto waits = [](const Client& c) { return !c.waiting.empty(); };
  const auto clients = std::count_if(used().begin(), used().end(), waits);
  if (clients == 0) return;
  // If a tick has no room for all commands, every client gets an equal share.
  const std::size_t room = limits::kCommandsPerTickMax - reserve - closed_.size();
  const std::size_t share = room / static_cast<std::size_t>(clients);
  for (Client& c : used()) take(c, next, share);
}

void Inbox::close_population() {
  static_assert(3 * limits::kClientsMax + kDisownedPerTickMax + kReserveMax <=
                limits::kCommandsPerTickMax);
  Sequence sequence;  // numbers the server's commands from 1 in each tick, so it cannot overflow
  const auto add = [&](const CommandPayload& payload) {
    ++sequence.value;
    closed_.push_back({kServer, sequence, payload});
  };
  for (const ClientId client : leaves_) add(command::Leave{client});
  for (const command::Join& join : joins_) add(join);
  for (const std::uint64_t account : disowned_) {
    const auto joins = [&](const command::Join& j) { return j.account == account; };
    if (std::none_of(joins_.begin(), joins_.end(), joins)) add(command::Disown{account});
  }
  leaves_.clear();
  joins_.clear();
  disowned_.clear();
}

// Moves the commands of a client that are due into the tick, at most `share` and at most
// kCommandsBurst beyond its rate. Each tick has as many places as the rate. Each command books the
// earliest place that the client has not booked yet, and may book at most kCommandsQueuedMax places
// ahead. Commands beyond that wait. (This is the leaky bucket as a meter, ITU-T I.371.) Commands
// beyond the rate first book places of skipped intervals.
void Inbox::take(Client& client, Tick next, std::size_t share) {
  ORRERY_ASSERT(next.value > 0);
  const std::uint64_t places = next.value * client.rate;  // up to the end of this tick
  client.booked = std::max(client.booked, places - client.rate);
  if (next > skips_until_) client.skipped = 0;
  ORRERY_ASSERT(client.booked <= places - client.rate + limits::kCommandsQueuedMax);
  const std::uint64_t unbooked = places + limits::kCommandsQueuedMax - client.booked;
  const std::uint64_t in_tick = client.rate + limits::kCommandsBurst;
  const std::uint64_t most =
      std::min<std::uint64_t>(share, std::min(in_tick, unbooked) + client.skipped);
  std::uint64_t taken = 0;
  auto kept = client.waiting.begin();
  for (const codec::message::TimedCommand& timed : client.waiting) {
    if (taken < most && timed.tick <= next) {
      const Command& command = timed.command;
      if (timed.malformed) {
        refused_.push_back({command.client, command.sequence, Verdict::malformed});
      } else {
        closed_.push_back(command);
      }
      ++taken;
    } else {
      *kept++ = timed;
    }
  }
  client.waiting.erase(kept, client.waiting.end());
  const std::uint64_t own = std::min(taken, places - std::min(places, client.booked));
  const std::uint64_t skipped = std::min(taken - own, client.skipped);
  client.skipped -= skipped;
  client.booked += taken - skipped;
  counters_.commands += taken;
}

}  // namespace orrery::server

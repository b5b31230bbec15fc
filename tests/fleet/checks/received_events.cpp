// Compares the events that clients receive with the events of the server's worlds.
#include "tests/fleet/checks/received_events.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "common/core/hash.h"

namespace orrery::fleet {
namespace {

// Hashes the fields that are sent without rounding.
std::uint64_t hash_of(Tick tick, const WorldEvent& event) {
  std::uint64_t hash = mix64(tick.value);
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(event.kind), std::uint64_t{event.a.value},
        std::uint64_t{event.b.value}, std::uint64_t{event.part_a}, std::uint64_t{event.part_b},
        std::bit_cast<std::uint64_t>(event.at.x), std::bit_cast<std::uint64_t>(event.at.y),
        std::bit_cast<std::uint64_t>(event.at.z)}) {
    hash = mix64(hash + part);
  }
  return hash;
}

Violation violated(std::string what) { return {"events arrive all and in order", std::move(what)}; }

}  // namespace

void ReceivedEvents::watch(const server::Server& server) {
  server_ = &server;
  processes_.emplace_back();
  left_out_before_ = left_out_;
}

void ReceivedEvents::remember(const World& world) {
  Process& now = processes_.back();
  for (const WorldEvent& event : world.events().list) {
    now.events.push_back(hash_of(world.tick(), event));
  }
  now.events.resize(now.events.size() + world.events().left_out);
  now.counts.push_back(now.events.size());
  left_out_ = left_out_before_ + server_->events_left_out();
}

std::optional<Violation> ReceivedEvents::check(Session& session,
                                               const std::vector<codec::message::Events>& received,
                                               net::Nanoseconds now) {
  for (const codec::message::Events& events : received) {
    const std::uint64_t due = session.next_event.value_or(events.first);
    if (events.first < due || !had(events)) {
      return violated("number " + std::to_string(events.first) + ", of tick " +
                      std::to_string(events.tick.value) + ", differs from the real event, or " +
                      std::to_string(due) + " was due");
    }
    missed_ += events.first - due;
    session.next_event = events.first + events.events.size();
    session.events_at = now;
  }
  if (missed_ <= left_out_) return std::nullopt;
  return violated(std::to_string(missed_) + " events did not arrive, and " +
                  std::to_string(left_out_) + " were left out");
}

std::optional<Violation> ReceivedEvents::check_all_arrived(const Session& session,
                                                           std::uint64_t ticks_ago,
                                                           net::Nanoseconds now) const {
  const std::uint64_t due = count(ticks_ago);
  if (!session.next_event || *session.next_event >= due) return std::nullopt;
  const bool waits = !server_->endpoint().peers()[session.client].link.sender().idle();
  if (waits && now - session.events_at < net::kSecond / 4) return std::nullopt;
  if (!waits && missed_ + due - *session.next_event <= left_out_) return std::nullopt;
  return violated("client " + std::to_string(session.client.value) + " has received " +
                  std::to_string(*session.next_event) + " of " + std::to_string(due));
}

bool ReceivedEvents::had(const codec::message::Events& events) const {
  return std::any_of(processes_.begin(), processes_.end(), [&events](const Process& process) {
    const std::size_t size = process.events.size();
    if (events.first > size || events.events.size() > size - events.first) return false;
    return std::equal(events.events.begin(), events.events.end(),
                      process.events.begin() + static_cast<std::ptrdiff_t>(events.first),
                      [&events](const WorldEvent& event, std::uint64_t hash) {
                        return hash_of(events.tick, event) == hash;
                      });
  });
}

std::uint64_t ReceivedEvents::count(std::uint64_t ticks_ago) const {
  const std::vector<std::uint64_t>& counts = processes_.back().counts;
  return ticks_ago < counts.size() ? counts[counts.size() - 1 - ticks_ago] : 0;
}

}  // namespace orrery::fleet

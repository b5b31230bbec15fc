// Keeps the events, refusals, notices and answers that arrived for a client until its program takes
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/codec/event_codec.h"
#include "common/codec/refusal_codec.h"
#include "common/codec/value_codec.h"
#include "common/core/limits.h"
#include "common/world/verdict.h"

namespace orrery::client {

// A list of events, each item with events of one tick. It holds kEventsMax events, and those of the
// tick that reaches this number. Further events are missed until the list is taken.
class EventList {
 public:
  static constexpr std::size_t kEventsMax = limits::kEventsMax;

  // Appends events of a tick. `first` is the number of events before them. Returns the number of
  // events that are missed, for lack of room.
  std::uint64_t add(Tick tick, std::uint64_t first, std::span<const WorldEvent> events) {
    if (count_ >= kEventsMax) return events.size();
    count_ += events.size();
    if (!events.empty()) list_.push_back({tick, first, {events.begin(), events.end()}});
    return 0;
  }
  // Returns the list.
  const std::vector<codec::message::Events>& all() const { return list_; }
  // Returns the list, and empties it.
  std::vector<codec::message::Events> take() {
    count_ = 0;
    return std::exchange(list_, {});
  }
  // Empties the list.
  void clear() {
    count_ = 0;
    list_.clear();
  }

 private:
  std::vector<codec::message::Events> list_;
  std::size_t count_ = 0;  // events
};

// A command that the server refused. The commands of a client are numbered 1, 2, 3, ... over all
// its connections.
struct RefusedNumber {
  std::uint64_t command = 0;  // its number
  Tick tick;                  // in which it would have been applied
  Verdict reason = Verdict::malformed;
};

// The answer of the server to a ray of the client. The rays of a client are numbered 1, 2, 3, ...
// over all its connections.
struct RayAnswer {
  std::uint32_t number = 0;
  codec::message::Query ray;
  codec::message::Answer answer;

  // Returns the point that was hit.
  Vec3 place() const { return ray.origin + answer.fraction * ray.along; }
};

// The arrivals of a client. All lists are bounded.
class Arrivals {
 public:
  // Return the items that arrived since the last call, in order.
  std::vector<codec::message::Events> take_events() { return events_.take(); }
  std::vector<RefusedNumber> take_refusals() { return std::exchange(refusals_, {}); }
  std::vector<codec::message::Notice> take_notices() { return std::exchange(notices_, {}); }
  std::vector<RayAnswer> take_answers() { return std::exchange(answers_, {}); }

  // Adds events of a tick. Returns the number of events that are missed, for lack of room.
  std::uint64_t add(const codec::message::Events& events) {
    return events_.add(events.tick, events.first, events.events);
  }
  // Adds a refusal. Returns 1 if it is missed, for lack of room, otherwise 0.
  std::uint64_t add(const RefusedNumber& refusal) {
    if (refusals_.size() == kRefusalsMax) return 1;
    refusals_.push_back(refusal);
    return 0;
  }
  // Adds a notice. Returns 1 if it is missed, for lack of room, otherwise 0.
  std::uint64_t add(const codec::message::Notice& notice) {
    if (notices_.size() == kNoticesMax) return 1;
    notices_.push_back(notice);
    return 0;
  }

  // Remembers a ray that the server was asked about, and returns its number. Forgets the oldest ray
  // if there are too many.
  std::uint32_t ask(const codec::message::Query& ray);
  // Adds the answer to a ray that was asked and has had no answer. Ignores any other answer.
  void add(const codec::message::Answer& answer);
  // Forgets all rays: their connection has ended.
  void forget_rays() { rays_.clear(); }

 private:
  static constexpr std::size_t kRefusalsMax = 4096;
  static constexpr std::size_t kNoticesMax = 1024;
  // Rays without an answer, and answers. The server answers at most net::kQueriesPerSecond rays a
  // second, so a ray beyond these is older than a second.
  static constexpr std::size_t kRaysMax = 64;
  static constexpr std::size_t kAnswersMax = 1024;

  EventList events_;
  std::vector<RefusedNumber> refusals_;
  std::vector<codec::message::Notice> notices_;
  std::vector<RayAnswer> rays_;  // that have no answer yet
  std::uint32_t asked_ = 0;      // rays so far
  std::vector<RayAnswer> answers_;
};

}  // namespace orrery::client

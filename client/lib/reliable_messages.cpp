// Reads the reliable messages of the server: the scene, values, notices, events,
// refusals, and ticks to follow.
#include "client/lib/reliable_messages.h"

#include <algorithm>
#include <utility>

#include "common/codec/reliable_type.h"
#include "common/session/follow_messages.h"

namespace orrery::client {

void ReliableMessages::take(Bytes message, ClientId self, Sequence given) {
  ORRERY_ASSERT(!message.empty());
  const auto type = static_cast<codec::ReliableType>(message[0]);
  bool sound = true;
  if (type == codec::ReliableType::refusals) {
    sound = take_refusals(message, given);
  } else if (follower_) {
    step_follower(message, self);
  } else if (type == codec::ReliableType::values) {
    sound = take_values(message);
  } else if (type == codec::ReliableType::notice) {
    sound = take_notices(message);
  } else if (type == codec::ReliableType::header) {
    sound = !std::exchange(scene_came_, true) && take_scene(message);
  } else {
    sound = take_events(message);
  }
  if (!sound) ++counters_.malformed;
}

void ReliableMessages::forget() {
  events_.clear();
  refusals_.clear();
  notices_.clear();
}

const Scene* ReliableMessages::scene() const {
  if (follower_) return follower_->scene();
  return scene_ ? &*scene_ : nullptr;
}

const std::vector<NamedValue>& ReliableMessages::values() const {
  const World* const world = follower_ ? follower_->world() : nullptr;
  return world ? world->controls().values : values_.all();
}

bool ReliableMessages::take_values(Bytes message) {
  const auto some = codec::decode_values(message);
  return some && values_.take(*some);
}

bool ReliableMessages::take_notices(Bytes message) {
  const auto some = codec::decode_notice(message);
  if (some) notices_.push_back(*some);
  return some.has_value();
}

bool ReliableMessages::take_scene(Bytes message) {
  Result<Scene> scene = session::decode_scene_message(message);
  if (!scene) {
    scene_error_ = scene.error().after("sent a scene that cannot be read: ");
    return false;
  }
  scene_ = std::move(scene.value());
  return true;
}

// Each message has the number of its first event. If that is not the next number, the server has
// dropped the events between.
bool ReliableMessages::take_events(Bytes message) {
  const bool sound =
      codec::decode_events(message, decoded_) && decoded_.first >= next_event_.value_or(0);
  if (!sound) return false;
  counters_.events_missed += decoded_.first - next_event_.value_or(decoded_.first);
  counters_.events += decoded_.events.size();
  next_event_ = decoded_.first + decoded_.events.size();
  counters_.events_missed += events_.add(decoded_.tick, decoded_.first, decoded_.events);
  return true;
}

// Each message has the number of its first refusal. If that is not the next number, the server has
// left out the refusals between.
bool ReliableMessages::take_refusals(Bytes message, Sequence given) {
  const auto some = codec::decode_refusals(message);
  const auto was_given = [given](const codec::message::Refusal& r) { return r.sequence <= given; };
  const bool sound = some && some->first >= next_refusal_ &&
                     std::all_of(some->refusals.begin(), some->refusals.end(), was_given);
  if (!sound) return false;
  counters_.refusals_missed += some->first - next_refusal_;
  counters_.refused += some->refusals.size();
  next_refusal_ = some->first + some->refusals.size();
  refusals_.insert(refusals_.end(), some->refusals.begin(), some->refusals.end());
  return true;
}

void ReliableMessages::step_follower(Bytes message, ClientId self) {
  const std::uint64_t ticks = follower_->ticks_checked();
  follower_->take(message);
  if (follower_->ticks_checked() == ticks) return;
  const World& world = *follower_->world();
  for (const Command& c : world.applied()) {
    const auto* const tell = std::get_if<command::Tell>(&c.payload);
    const bool is_for_me = tell && (tell->client == kServer || tell->client == self);
    if (is_for_me) notices_.push_back({world.tick(), tell->text});
  }
  if (!wants_events_) return;
  const Events& events = world.events();
  counters_.events_missed += events_.add(world.tick(), counters_.events, events.list);
  counters_.events_missed += events.left_out;
  counters_.events += events.list.size() + events.left_out;
}

}  // namespace orrery::client

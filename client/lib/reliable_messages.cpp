// Reads the reliable messages of the server: the scene, events, refusals, and ticks to follow.
#include "client/lib/reliable_messages.h"

#include <algorithm>
#include <utility>

#include "common/codec/reliable_type.h"
#include "common/session/follow_messages.h"

namespace orrery::client {

void ReliableMessages::take(Bytes message, Sequence given) {
  ORRERY_ASSERT(!message.empty());
  const auto type = static_cast<codec::ReliableType>(message[0]);
  bool sound = true;
  if (type == codec::ReliableType::refusals) {
    sound = take_refusals(message, given);
  } else if (follower_) {
    step_follower(message);
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
}

const Scene* ReliableMessages::scene() const {
  if (follower_) return follower_->scene();
  return scene_ ? &*scene_ : nullptr;
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

void ReliableMessages::step_follower(Bytes message) {
  const std::uint64_t ticks = follower_->ticks_checked();
  follower_->take(message);
  if (!wants_events_ || follower_->ticks_checked() == ticks) return;
  const World& world = *follower_->world();
  const Events& events = world.events();
  counters_.events_missed += events_.add(world.tick(), counters_.events, events.list);
  counters_.events_missed += events.left_out;
  counters_.events += events.list.size() + events.left_out;
}

}  // namespace orrery::client

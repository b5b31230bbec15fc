// Turns changes of contacts into events. There is at most one begin and one end for each pair of
// parts, although a pair may have several contacts.
#include "common/world/events.h"

#include <algorithm>
#include <array>
#include <span>
#include <variant>

#include "common/core/limits.h"
#include "common/world/mutable_world.h"
#include "common/world/sleep.h"

namespace orrery {
namespace {

static_assert(static_cast<std::size_t>(EventKind::woke) + 1 == kEventKinds);

// Returns the bits of a key that name the slots and the parts. All contacts between the same two
// parts have the same bits.
std::uint64_t parts_of(physics::ContactKey key) { return key.value >> 2; }

// The changes of the contacts between two parts in this tick.
struct Change {
  std::size_t begun = 0;
  std::size_t ended = 0;
  bool replaced = false;  // the slot of one body holds a new body
  bool began_sensor = false;
  bool ended_sensor = false;
  const physics::ContactEvent* hardest = nullptr;  // the fastest contact that began
};

Change change_of(std::span<const physics::ContactEvent> events) {
  ORRERY_ASSERT(!events.empty());
  Change change;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const physics::ContactEvent& event = events[i];
    if (event.change == physics::ContactChange::end) {
      ++change.ended;
      change.ended_sensor = event.sensor;
      continue;
    }
    ++change.begun;
    change.began_sensor = event.sensor;
    change.replaced = change.replaced || (i > 0 && events[i - 1].key == event.key);
    const bool harder = !change.hardest || event.approach_speed > change.hardest->approach_speed;
    if (harder) change.hardest = &event;
  }
  return change;
}

// Returns the number of keys that belong to contacts between the two parts. `keys` ascend.
std::size_t count_of(std::span<const physics::ContactKey> keys, std::uint64_t parts) {
  const auto range = std::equal_range(
      keys.begin(), keys.end(), physics::ContactKey{parts << 2},
      [](physics::ContactKey x, physics::ContactKey y) { return parts_of(x) < parts_of(y); });
  return static_cast<std::size_t>(range.second - range.first);
}

// Lists the bodies that commands removed, ascending by slot. In one slot, the body removed first
// comes first.
void list_removed(const World& world, std::vector<BodyId>& removed) {
  removed.clear();
  for (const Command& command : world.applied()) {
    const auto* const removal = std::get_if<command::Remove>(&command.payload);
    if (removal) removed.push_back(removal->body);
  }
  std::stable_sort(removed.begin(), removed.end(),
                   [](BodyId x, BodyId y) { return slot_of(x) < slot_of(y); });
}

// Returns the body that was in the slot before this tick's commands.
BodyId id_before(const World& world, std::uint32_t slot) {
  const std::vector<BodyId>& removed = world.events().removed;
  const auto at = std::lower_bound(removed.begin(), removed.end(), slot,
                                   [](BodyId x, std::uint32_t y) { return slot_of(x) < y; });
  return at != removed.end() && slot_of(*at) == slot ? *at : body_id(world, slot);
}

void add(Events& events, const WorldEvent& event) {
  if (events.list.size() == limits::kEventsMax) {
    ++events.left_out;
    return;
  }
  events.list.push_back(event);
}

void add(MutableWorld& world, EventKind kind, physics::ContactKey key,
         const physics::ContactEvent* hit) {
  const bool past = kind == EventKind::contact_end || kind == EventKind::sensor_end;
  const auto id = [&](std::uint32_t slot) {
    return past ? id_before(world, slot) : body_id(world, slot);
  };
  WorldEvent event{kind,
                   id(key.slot_a()),
                   id(key.slot_b()),
                   static_cast<std::uint16_t>(key.part_a()),
                   static_cast<std::uint16_t>(key.part_b()),
                   0,
                   {},
                   {},
                   0};
  if (hit) {
    event.speed = hit->approach_speed;
    event.at = hit->at;
    event.normal = hit->normal;
  }
  add(world.events, event);
}

bool slot_precedes(BodyId x, BodyId y) {
  return slot_of(x) != slot_of(y) ? slot_of(x) < slot_of(y) : x < y;
}

// Lists the bodies outside the bounds of the scene, and the sleeping ones.
void list_bodies(const World& world, std::vector<BodyId>& outside, std::vector<BodyId>& asleep) {
  outside.clear();
  asleep.clear();
  const Scene& scene = world.scene();
  const bool bounded = has_bounds(scene);
  if (!bounded && !scene.sleep_events) return;
  ORRERY_ASSERT(!scene.sleep_events || world.collision());
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (!world.bodies().alive(slot)) continue;
    const Vec3 x = world.bodies().position(slot);
    const Vec3 &lower = scene.bounds_lower, &upper = scene.bounds_upper;
    const bool inside = x.x >= lower.x && x.y >= lower.y && x.z >= lower.z && x.x <= upper.x &&
                        x.y <= upper.y && x.z <= upper.z;
    if (bounded && !inside) outside.push_back(body_id(world, slot));
    if (scene.sleep_events && world.collision()->sleeping->asleep(slot))
      asleep.push_back(body_id(world, slot));
  }
}

// Adds an event for each body in `now` that is not in `before` and still exists.
void add_new(MutableWorld& world, EventKind kind, const std::vector<BodyId>& before,
             const std::vector<BodyId>& now) {
  ORRERY_ASSERT(is_of_one_body(kind));
  for (const BodyId id : now) {
    if (std::binary_search(before.begin(), before.end(), id, slot_precedes)) continue;
    if (!contains(world, id)) continue;
    WorldEvent event;
    event.kind = kind;
    event.a = event.b = id;
    add(world.events, event);
  }
}

}  // namespace

const char* event_name(EventKind kind) {
  ORRERY_ASSERT(static_cast<std::size_t>(kind) < kEventKinds);
  constexpr std::array<const char*, kEventKinds> kNames = {
      "contact_end", "sensor_end",  "contact_begin", "sensor_begin", "hit",
      "joint_broke", "left_bounds", "fell_asleep",   "woke"};
  return kNames[static_cast<std::size_t>(kind)];
}

// Two parts are in contact while at least one contact exists between them. Their number of contacts
// before this tick follows from the present number and the changes.
void collect_events(MutableWorld& world) {
  ORRERY_ASSERT(world.collision);
  list_removed(world, world.events.removed);
  const physics::ContactSet& contacts = world.collision->solver.contacts();
  const std::span<const physics::ContactEvent> changes = contacts.events().list();
  for (std::size_t i = 0, end = 0; i < changes.size(); i = end) {
    const physics::ContactKey key = changes[i].key;
    while (end < changes.size() && parts_of(changes[end].key) == parts_of(key)) ++end;
    const Change change = change_of(changes.subspan(i, end - i));
    const std::size_t now = count_of(contacts.keys(), parts_of(key));
    ORRERY_ASSERT(now + change.ended >= change.begun);
    const bool before = now + change.ended > change.begun;
    if (before && (now == 0 || change.replaced)) {
      add(world, change.ended_sensor ? EventKind::sensor_end : EventKind::contact_end, key, {});
    }
    if (now == 0 || (before && !change.replaced)) continue;
    add(world, change.began_sensor ? EventKind::sensor_begin : EventKind::contact_begin, key, {});
    const bool hard = !change.began_sensor && change.hardest->approach_speed >= kHitSpeed;
    if (hard) add(world, EventKind::hit, key, change.hardest);
  }
}

void add_crossings(MutableWorld& world) {
  ORRERY_ASSERT(world.collision);
  for (const physics::Crossing& crossing : world.collision->crossings.list()) {
    WorldEvent event;
    event.a = body_id(world, crossing.slot_a);
    event.b = body_id(world, crossing.slot_b);
    event.part_a = static_cast<std::uint16_t>(crossing.part_a);
    event.part_b = static_cast<std::uint16_t>(crossing.part_b);
    if (world.events.list.size() + 2 > limits::kEventsMax) {  // no begin without its end
      world.events.left_out += 2;
      continue;
    }
    for (const EventKind kind : {EventKind::sensor_begin, EventKind::sensor_end}) {
      event.kind = kind;
      add(world.events, event);
    }
  }
}

void break_overloaded_joints(MutableWorld& world) {
  ORRERY_ASSERT(world.collision);
  physics::ContactSolver& solver = world.collision->solver;
  for (const std::uint32_t joint : solver.break_overloaded_joints(world.tick_time)) {
    const JointDef& def = world.scene.joints[joint];
    ORRERY_ASSERT(world.bodies.alive(def.a) && world.bodies.alive(def.b));
    for (const std::uint32_t slot : {def.a, def.b}) {
      if (is_dynamic(prototype_of(world, slot).kind)) wake(world, slot);
    }
    WorldEvent event;
    event.kind = EventKind::joint_broke;
    event.a = body_id(world, def.a);
    event.b = body_id(world, def.b);
    event.joint = joint;
    add(world.events, event);
  }
}

void begin_body_events(MutableWorld& world) {
  world.events.list.clear();
  world.events.left_out = 0;
  list_bodies(world, world.events.before.outside, world.events.before.asleep);
}

void add_body_events(MutableWorld& world) {
  const auto& before = world.events.before;
  auto& after = world.events.after;
  list_bodies(world, after.outside, after.asleep);
  add_new(world, EventKind::left_bounds, before.outside, after.outside);
  add_new(world, EventKind::fell_asleep, before.asleep, after.asleep);
  add_new(world, EventKind::woke, after.asleep, before.asleep);
}

}  // namespace orrery

// Compares two states of one scene: the bodies number by number, other parts by their hashes.
#include "common/world/image/state_difference.h"

#include <algorithm>
#include <bit>

#include "common/world/image/state_hash.h"

namespace orrery {
namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_words(const physics::Bodies& a, const physics::Bodies& b, std::uint32_t slot) {
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    if (!same_bits(a.at(field, slot), b.at(field, slot))) return false;
  }
  return true;
}

std::vector<FieldDifference> fields_of(const World& a, const World& b, std::uint32_t slot) {
  std::vector<FieldDifference> fields;
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    const double in_a = a.bodies().at(field, slot);
    const double in_b = b.bodies().at(field, slot);
    if (!same_bits(in_a, in_b)) fields.push_back({body_id(a, slot), field, in_a, in_b});
  }
  return fields;
}

void add_body(const World& a, const World& b, std::uint32_t slot, StateDifference& found) {
  const bool in_a = a.bodies().alive(slot);
  const bool in_b = b.bodies().alive(slot);
  const bool one_body = in_a && in_b && body_id(a, slot) == body_id(b, slot);
  if (in_a == in_b && (!in_a || (one_body && same_words(a.bodies(), b.bodies(), slot)))) return;
  if (++found.bodies > kBodiesListedMax) return;
  if (one_body) {
    const std::vector<FieldDifference> fields = fields_of(a, b, slot);
    found.fields.insert(found.fields.end(), fields.begin(), fields.end());
    return;
  }
  if (in_a) found.only_a.push_back(body_id(a, slot));
  if (in_b) found.only_b.push_back(body_id(b, slot));
}

// Calls take(record) for every contact: first for those of awake bodies, then for those of sleeping
// bodies.
template <class Take>
void for_each_contact(const World& world, Take take) {
  if (!world.collision()) return;
  world.collision()->solver.contacts().for_each_record(take);
  if (!world.collision()->sleeping) return;
  for (const physics::ContactRecord& record : world.collision()->sleeping->contacts()) take(record);
}

std::vector<physics::ContactKey> contact_keys(const World& world) {
  std::vector<physics::ContactKey> keys;
  for_each_contact(world,
                   [&](const physics::ContactRecord& record) { keys.push_back(record.key); });
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::uint64_t hash_sleep(const World& world) {
  ORRERY_ASSERT(world.collision());
  const auto& sleeping = world.collision()->sleeping;
  return sleeping ? sleeping->hash(world.bodies().slots()) : 0;
}

}  // namespace

std::vector<std::string_view> StateDifference::parts() const {
  std::vector<std::string_view> names;
  if (bodies > 0) names.push_back("bodies");
  if (controls) names.push_back("controls");
  if (contacts) names.push_back("contacts");
  if (joints) names.push_back("joints");
  if (sleep) names.push_back("sleep");
  return names;
}

StateDifference difference(const World& a, const World& b) {
  ORRERY_ASSERT(a.bodies().capacity() == b.bodies().capacity());
  ORRERY_ASSERT(a.collision().has_value() == b.collision().has_value());
  ORRERY_ASSERT(a.scene().bodies.size() == b.scene().bodies.size());
  StateDifference found;
  const std::uint32_t slots = std::max(a.bodies().slots(), b.bodies().slots());
  for (std::uint32_t slot = 0; slot < slots; ++slot) add_body(a, b, slot, found);
  found.controls = hash_controls(a) != hash_controls(b);
  if (!a.collision()) return found;
  found.contacts = hash_contacts(*a.collision()) != hash_contacts(*b.collision());
  found.contact_pairs = found.contacts && contact_keys(a) != contact_keys(b);
  found.joints = a.collision()->solver.joints().hash() != b.collision()->solver.joints().hash();
  found.sleep = hash_sleep(a) != hash_sleep(b);
  return found;
}

Separation separation(const World& a, const World& b) {
  Separation found;
  const std::uint32_t slots = std::max(a.bodies().slots(), b.bodies().slots());
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const bool in_a = a.bodies().alive(slot);
    const bool in_b = b.bodies().alive(slot);
    if (!in_a || !in_b || body_id(a, slot) != body_id(b, slot)) {
      found.bodies += (in_a ? 1 : 0) + (in_b ? 1 : 0);
      continue;
    }
    if (same_words(a.bodies(), b.bodies(), slot)) continue;
    ++found.bodies;
    if (!found.first) found.first = fields_of(a, b, slot).front();
    const Vec3 between = a.bodies().position(slot) - b.bodies().position(slot);
    found.distance = std::max(found.distance, length(between));
  }
  return found;
}

std::vector<BodyContact> contacts_of(const World& world, std::uint32_t slot) {
  ORRERY_ASSERT(slot < world.bodies().capacity());
  std::vector<BodyContact> contacts;
  for_each_contact(world, [&](const physics::ContactRecord& record) {
    const std::uint32_t a = record.key.slot_a();
    const std::uint32_t b = record.key.slot_b();
    if (a != slot && b != slot) return;
    BodyContact contact{body_id(world, a == slot ? b : a), record.count, 0};
    for (std::uint8_t i = 0; i < record.count; ++i) contact.impulse += record.points[i].impulse;
    contacts.push_back(contact);
  });
  return contacts;
}

}  // namespace orrery

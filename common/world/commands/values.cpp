// Sets the values of a session, and checks commands about its clients.
#include "common/world/commands/values.h"

#include <algorithm>

#include "common/core/limits.h"

namespace orrery {
namespace {

// Returns the place of the value with this key, where it is or belongs.
auto place_of(auto& values, const command::Key& key) {
  return std::lower_bound(values.begin(), values.end(), key,
                          [](const NamedValue& v, const command::Key& k) { return v.key < k; });
}

Verdict if_joined(const MutableWorld& world, ClientId client) {
  return find_client(world.controls, client) ? Verdict::applied : Verdict::no_client;
}

}  // namespace

const NamedValue* find_value(const Controls& controls, const command::Key& key) {
  ORRERY_ASSERT(!key.empty());
  const auto at = place_of(controls.values, key);
  return at != controls.values.end() && at->key == key ? &*at : nullptr;
}

Verdict set_value(MutableWorld& world, const command::SetValue& c) {
  ORRERY_ASSERT(!c.key.empty() && world.controls.values.size() <= limits::kValuesMax);
  auto& values = world.controls.values;
  const auto at = place_of(values, c.key);
  const bool is_there = at != values.end() && at->key == c.key;
  if (is_there ? at->value == c.value : c.value.empty()) return Verdict::unchanged;
  if (c.value.empty()) {
    values.erase(at);
  } else if (is_there) {
    at->value = c.value;
  } else if (values.size() == limits::kValuesMax) {
    return Verdict::full;
  } else {
    const auto index = at - values.begin();
    values.reserve(limits::kValuesMax);
    values.insert(values.begin() + index, {c.key, c.value});
  }
  return Verdict::applied;
}

Verdict tell(MutableWorld& world, const command::Tell& c) {
  ORRERY_ASSERT(!c.text.empty());
  return c.client == kServer ? Verdict::applied : if_joined(world, c.client);
}

Verdict kick(MutableWorld& world, const command::Kick& c) { return if_joined(world, c.client); }
Verdict ban(MutableWorld& world, const command::Ban& c) { return if_joined(world, c.client); }

}  // namespace orrery

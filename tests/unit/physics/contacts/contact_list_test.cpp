// Tests batches of changes to the list of contacts against a map.
#include "common/physics/contacts/contact_list.h"

#include <gtest/gtest.h>

#include <map>

#include "common/core/rng.h"

namespace orrery {
namespace {

using physics::ContactKey;

// Returns one of few possible keys, so that batches often add and remove the same key.
ContactKey random_key(SplitMix64& random) {
  const std::uint32_t a = random.below(12), part = random.below(3);
  return physics::contact_key(a, a + 1 + random.below(9), part, 0, 0);
}

void expect_equal(const physics::ContactList& list,
                  const std::map<ContactKey, std::uint32_t>& model) {
  ASSERT_EQ(list.keys().size(), model.size());
  ASSERT_EQ(list.entries().size(), model.size());
  std::size_t i = 0;
  for (const auto& [key, id] : model) {
    EXPECT_EQ(list.keys()[i].value, key.value);
    EXPECT_EQ(list.entries()[i].id(), id);
    EXPECT_EQ(list.entries()[i].needs_narrow_phase(), id % 3 == 0);
    ++i;
  }
}

TEST(ContactList, AppliesBatchesLikeAMap) {
  SplitMix64 random(0x115);
  physics::ContactList list;
  std::map<ContactKey, std::uint32_t> model;
  std::uint32_t next_id = 0;
  for (int batch = 0; batch < 400; ++batch) {
    std::map<ContactKey, std::uint32_t> after = model;
    for (const auto& [key, id] : model) {
      if (random.below(4) != 0) continue;
      list.remove(key);
      after.erase(key);
    }
    for (std::uint32_t n = random.below(20); n > 0; --n) {
      const ContactKey key = random_key(random);
      if (after.contains(key)) continue;  // a key that was removed may come back at once
      list.add(key, {next_id, next_id % 3 == 0});
      after[key] = next_id++;
    }
    EXPECT_EQ(list.size_after_merge(), after.size());
    expect_equal(list, model);  // nothing changes before the merge
    list.merge();
    model = after;
    expect_equal(list, model);
    EXPECT_FALSE(list.changed());
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(model.size(), 10u);
}

TEST(ContactList, KeepsAppendedContacts) {
  physics::ContactList list;
  std::map<ContactKey, std::uint32_t> model;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const ContactKey key = physics::contact_key(i, i + 1, 0, 0, 0);
    list.append(key, {i, i % 3 == 0});
    model[key] = i;
  }
  expect_equal(list, model);
  list.clear();
  expect_equal(list, {});
}

}  // namespace
}  // namespace orrery

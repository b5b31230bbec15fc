// Applies added and removed contacts to a sorted list.
#include "common/physics/contacts/contact_list.h"

#include <algorithm>

#include "common/core/limits.h"

namespace orrery::physics {

static_assert(limits::kContactsMax < kContactIdsMax);  // the highest bit of an entry is a flag

void ContactList::clear() {
  keys_.clear();
  entries_.clear();
  removed_.clear();
  added_.clear();
}

void ContactList::merge() {
  if (changed()) apply_changes();
  removed_.reserve(keys_.capacity());
}

// Merges the changes into new arrays. Copies the contacts between two changes as one range.
void ContactList::apply_changes() {
  ORRERY_ASSERT(keys_.size() == entries_.size());
  ORRERY_ASSERT(removed_.size() <= keys_.size());
  std::sort(removed_.begin(), removed_.end());
  std::sort(added_.begin(), added_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  merged_keys_.clear();
  merged_entries_.clear();
  std::size_t copied = 0;
  const auto copy_to = [&](std::size_t end) {
    const auto from = static_cast<std::ptrdiff_t>(copied), to = static_cast<std::ptrdiff_t>(end);
    merged_keys_.insert(merged_keys_.end(), keys_.begin() + from, keys_.begin() + to);
    merged_entries_.insert(merged_entries_.end(), entries_.begin() + from, entries_.begin() + to);
    copied = end;
  };
  auto removed = removed_.begin();
  auto added = added_.begin();
  while (removed != removed_.end() || added != added_.end()) {
    const bool removes =
        added == added_.end() || (removed != removed_.end() && !(added->first < *removed));
    const ContactKey key = removes ? *removed : added->first;
    const auto place =
        std::lower_bound(keys_.begin() + static_cast<std::ptrdiff_t>(copied), keys_.end(), key);
    copy_to(static_cast<std::size_t>(place - keys_.begin()));
    if (removes) {
      ORRERY_ASSERT(copied < keys_.size() && keys_[copied] == key);
      ++copied;
      ++removed;
    } else {
      merged_keys_.push_back(key);
      merged_entries_.push_back(added->second);
      ++added;
    }
  }
  copy_to(keys_.size());
  ORRERY_ASSERT(merged_keys_.size() == size_after_merge());
  keys_.swap(merged_keys_);
  entries_.swap(merged_entries_);
  removed_.clear();
  added_.clear();
}

}  // namespace orrery::physics

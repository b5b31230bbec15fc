// Keeps the values of a session as a client knows them.
#pragma once

#include <algorithm>
#include <vector>

#include "common/codec/value_codec.h"
#include "common/core/limits.h"

namespace orrery::client {

// The values, ascending by key.
class SessionValues {
 public:
  // Takes a message of the server. Returns false if its values would be more than kValuesMax.
  bool take(const codec::message::Values& message) {
    if (message.whole) {
      values_ = message.values;
      return true;
    }
    return std::all_of(message.values.begin(), message.values.end(),
                       [this](const NamedValue& v) { return set(v); });
  }

  // Returns the values.
  const std::vector<NamedValue>& all() const { return values_; }

 private:
  // Changes, adds or ends a value. Returns false if there is no room for it.
  bool set(const NamedValue& changed) {
    const auto at =
        std::lower_bound(values_.begin(), values_.end(), changed.key,
                         [](const NamedValue& v, const command::Key& key) { return v.key < key; });
    const bool is_there = at != values_.end() && at->key == changed.key;
    if (changed.value.empty()) {
      if (is_there) values_.erase(at);
    } else if (is_there) {
      at->value = changed.value;
    } else if (values_.size() == limits::kValuesMax) {
      return false;
    } else {
      values_.insert(at, changed);
    }
    return true;
  }

  std::vector<NamedValue> values_;
};

}  // namespace orrery::client

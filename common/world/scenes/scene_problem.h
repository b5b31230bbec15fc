// Names the item of a scene in which a check finds a problem.
#pragma once

#include <cstddef>
#include <vector>

#include "common/core/result.h"

namespace orrery {

// Returns the problem that `check` finds in the first bad item, with its place, or nothing. `item`
// is the name of an item, such as "joint".
template <class Item, class Check>
Problem first_problem(const char* item, const std::vector<Item>& items, Check check) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (Problem p = check(items[i])) return p->in_item(item, i);
  }
  return {};
}

}  // namespace orrery

// Names the item of a scene in which a check finds a problem.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

// A problem of a scene and how to correct it, as one line, or nothing.
using Problem = std::optional<std::string>;

// Returns the problem that `check` finds in the first bad item, prefixed as in "joint 3: ", or
// nothing.
template <class Item, class Check>
Problem first_problem(const char* what, const std::vector<Item>& items, Check check) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (Problem p = check(items[i])) return std::string(what) + " " + std::to_string(i) + ": " + *p;
  }
  return {};
}

}  // namespace orrery

// Owns how checks of a scene say which of its items something is wrong with.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

// What is wrong, and what would be right; or nothing.
using Problem = std::optional<std::string>;

// "joint 3: " and what `check` finds wrong with the first item that it finds something wrong with.
template <class Item, class Check>
Problem first_problem(const char* what, const std::vector<Item>& items, Check check) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (Problem p = check(items[i])) return std::string(what) + " " + std::to_string(i) + ": " + *p;
  }
  return {};
}

}  // namespace orrery

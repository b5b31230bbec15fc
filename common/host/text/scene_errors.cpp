// Words the hints of errors of scene files.
#include "common/host/text/scene_errors.h"

#include <algorithm>
#include <utility>

#include "common/core/nearest.h"

namespace orrery::host {
namespace {

using Name = std::pair<std::string_view, std::string_view>;

// Names in other programs, and the names here.
constexpr Name kOtherNames[] = {
    {"static", "anchor"},        {"fixed", "anchor"},
    {"fixed", "weld"},           {"dynamic", "rigid"},
    {"ball", "sphere"},          {"cube", "box"},
    {"cylinder", "hull"},        {"cone", "hull"},
    {"convex", "hull"},          {"ground", "plane"},
    {"terrain", "height_field"}, {"trimesh", "mesh"},
    {"revolute", "hinge"},       {"prismatic", "slider"},
    {"rod", "distance"},         {"rope", "distance"},
    {"spherical", "ball"},
};

bool has(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool contains(std::string_view a, std::string_view b) {
  return a.find(b) != std::string_view::npos;
}

// Returns the path without the numbers: "shapes[].parts[]" for "shapes[0].parts[1]".
std::string without_numbers(const std::string& path) {
  std::string list;
  for (const char c : path) {
    if (c < '0' || c > '9') list += c;
  }
  return list;
}

// Returns the lists whose items have the key, separated by " or ". Lists inside the item at `path`
// come before all others.
std::string owners_of(std::string_view key, const std::string& path,
                      std::span<const ItemKeys> all) {
  const std::string inside = without_numbers(path) + '.';
  std::string owners;
  std::string others;
  for (const ItemKeys& each : all) {
    if (!has(each.keys, key)) continue;
    std::string& list = each.list.starts_with(inside) ? owners : others;
    list.append(list.empty() ? "" : " or ").append(each.list.empty() ? "the scene" : each.list);
  }
  return owners.empty() ? others : owners;
}

}  // namespace

std::string hint_at_key(std::string_view key, const std::string& path,
                        std::span<const std::string_view> own, std::span<const ItemKeys> all) {
  const std::string_view near = nearest_name(key, own);
  const bool is_part = !near.empty() && (contains(near, key) || contains(key, near));
  const std::string owners = owners_of(key, path, all);
  return is_part || owners.empty() ? suggestion(key, own) : "; it is a key of " + owners;
}

std::string_view meant_name(std::string_view name, std::span<const std::string_view> known) {
  for (const auto& [other, here] : kOtherNames) {
    if (name == other && has(known, here)) return here;
  }
  return nearest_name(name, known);
}

}  // namespace orrery::host

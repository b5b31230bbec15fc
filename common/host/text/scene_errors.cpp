// Words the errors of scene files.
#include "common/host/text/scene_errors.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/core/nearest.h"
#include "common/core/printable.h"

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

std::string parser_message(const std::string& error) {
  const std::size_t line_end = error.find(':');
  const std::string marker = "error: ";
  const std::size_t at = error.find(marker);
  if (line_end == std::string::npos || at == std::string::npos) return printable(error);
  std::string message = error.substr(at + marker.size());
  message = message.substr(0, message.find_first_of("\r\n"));
  return "line " + printable(error.substr(0, line_end)) + ": " + printable(message);
}

std::string path_of(std::string_view message) {
  std::string path;
  const auto word = [&message] {
    const std::size_t size = std::min(message.find_first_of(" :["), message.size());
    const std::string_view found = message.substr(0, size);
    message.remove_prefix(std::min(size + 1, message.size()));
    return std::string(found);
  };
  std::size_t colon = 0;
  while ((colon = message.find(": ")) != std::string_view::npos) {
    const std::string_view behind = message.substr(colon + 2);
    const std::string item = word();
    std::uint32_t place = 0;
    if (std::from_chars(message.data(), message.data() + message.size(), place).ec != std::errc{}) {
      return path + item;
    }
    const std::string list = item == "body" ? "bodies" : item.ends_with('s') ? item : item + 's';
    path += list + '[' + std::to_string(place) + "].";
    message = behind;
  }
  return path + word();
}

}  // namespace orrery::host

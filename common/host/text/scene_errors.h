// Words the hints of errors of scene files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::host {

// The keys of the items of a list of scenes, such as "shapes[].parts[]". The scene itself has an
// empty list.
struct ItemKeys {
  std::string list;
  std::vector<std::string_view> keys;
};

// Returns "; did you mean KEY?", "; it is a key of LIST" or "; there are KEYS" for a key that the
// item at `path` does not have. `own` are the keys that it has, and `all` those of all lists.
std::string hint_at_key(std::string_view key, const std::string& path,
                        std::span<const std::string_view> own, std::span<const ItemKeys> all);

// Returns the name that was probably meant, also if other programs name the thing differently. The
// result is empty if there is none.
std::string_view meant_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace orrery::host

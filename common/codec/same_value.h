// Compares enumerators of our types with those of the schema.
#pragma once

#include <type_traits>

namespace orrery::codec {

// Returns true if both enumerators have the same value, so that the codecs can cast one to the
// other. Does not compile if the underlying types differ.
template <class Ours, class Theirs>
constexpr bool same_value(Ours ours, Theirs theirs) {
  static_assert(std::is_same_v<std::underlying_type_t<Ours>, std::underlying_type_t<Theirs>>);
  return static_cast<unsigned>(ours) == static_cast<unsigned>(theirs);
}

}  // namespace orrery::codec

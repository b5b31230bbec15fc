// The keys of a live view.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::cli {

// A key that has an effect in a live view.
enum class Key : std::uint8_t {
  quit,
  help,
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  zoom_in,
  zoom_out,
  fit,
  next,
  previous,
  front,
  side,
  top,
  reverse,
};

// Splits the bytes that a terminal sends into keys.
class KeyReader {
 public:
  // Returns the keys that `bytes` complete. A sequence for a key may arrive in several calls.
  // Ignores every other byte and sequence.
  std::vector<Key> read(std::string_view bytes);

 private:
  std::string sequence_;  // an escape sequence that has begun
};

}  // namespace orrery::cli

// The keys of a live view.
#include "client/cli/watch/keys.h"

#include <array>
#include <optional>
#include <utility>

namespace orrery::cli {
namespace {

constexpr char kEscape = '\033';

using Meaning = std::pair<std::string_view, Key>;
constexpr std::array<Meaning, 18> kKeys{{{"q", Key::quit},
                                         {"Q", Key::quit},
                                         {"?", Key::help},
                                         {"h", Key::help},
                                         {"+", Key::zoom_in},
                                         {"=", Key::zoom_in},
                                         {"-", Key::zoom_out},
                                         {"0", Key::fit},
                                         {"\t", Key::next},
                                         {"f", Key::front},
                                         {"s", Key::side},
                                         {"t", Key::top},
                                         {"r", Key::reverse},
                                         {"\033[Z", Key::previous},
                                         {"\033[5~", Key::page_up},
                                         {"\033[6~", Key::page_down},
                                         {" ", Key::page_down},
                                         {"b", Key::page_up}}};

std::optional<Key> key_of(std::string_view sequence) {
  for (const auto& [text, key] : kKeys) {
    if (text == sequence) return key;
  }
  // Arrows: ESC [ A or, from some terminals, ESC O A.
  if (sequence.size() != 3 || (sequence[1] != '[' && sequence[1] != 'O')) return {};
  switch (sequence[2]) {
    case 'A':
      return Key::up;
    case 'B':
      return Key::down;
    case 'C':
      return Key::right;
    case 'D':
      return Key::left;
    default:
      return {};
  }
}

// Returns true if the escape sequence is complete. It has one of two forms:
// - ESC, then "[" or "O", then parameters and a final byte from "@" to "~";
// - ESC and any other byte. A terminal sends this for Alt and a key.
bool is_complete(std::string_view sequence) {
  if (sequence.size() == 1) return false;
  if (sequence[1] != '[' && sequence[1] != 'O') return true;
  return sequence.size() > 2 && sequence.back() >= '@' && sequence.back() <= '~';
}

}  // namespace

std::vector<Key> KeyReader::read(std::string_view bytes) {
  constexpr std::size_t kSequenceMax = 16;
  std::vector<Key> keys;
  for (const char byte : bytes) {
    if (byte == kEscape) sequence_.clear();  // drops an incomplete sequence
    sequence_ += byte;
    if (sequence_[0] == kEscape && !is_complete(sequence_) && sequence_.size() < kSequenceMax) {
      continue;
    }
    if (const std::optional<Key> key = key_of(sequence_)) keys.push_back(*key);
    sequence_.clear();
  }
  return keys;
}

}  // namespace orrery::cli

// Owns the fuzz target of packed commands: what decodes is in range, and comes back from its bytes.
#include <vector>

#include "common/codec/command_codec.h"
#include "tests/fuzz/fuzz.h"

namespace orrery {
namespace {

std::vector<std::uint8_t> packed(const Command& command) {
  std::vector<std::uint8_t> bytes;
  ByteWriter writer(bytes);
  encode_command(command, writer);
  ORRERY_ASSERT(bytes.size() <= kCommandBytesMax);
  return bytes;
}

void one_input(Bytes bytes) {
  ByteReader reader(bytes);
  while (!reader.at_end()) {
    const std::optional<Command> command = decode_command(reader);
    if (!command) return;
    ORRERY_ASSERT(is_in_range(*command));
    const std::vector<std::uint8_t> once = packed(*command);
    ByteReader again(once);
    const std::optional<Command> same = decode_command(again);
    ORRERY_ASSERT(same && again.at_end());
    ORRERY_ASSERT(packed(*same) == once);
  }
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::one_input({data, size});
  return 0;
}

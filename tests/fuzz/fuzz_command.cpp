// Fuzzes packed commands. A command decoded from the current or the old format must be in range.
// In the current format it must also encode to the same bytes.
#include <algorithm>
#include <vector>

#include "common/codec/command_codec.h"
#include "tests/fuzz/fuzz.h"

namespace orrery {
namespace {

void one_row(Bytes bytes) {
  ByteReader reader(bytes);
  codec::CommandSource before;
  codec::CommandSource packed_before;
  std::vector<std::uint8_t> packed;
  ByteWriter writer(packed);
  while (!reader.at_end()) {
    const std::size_t begin = reader.offset();
    const std::optional<Command> command = codec::decode_command(reader, before);
    if (!command) return;
    ORRERY_ASSERT(codec::is_in_range(*command));
    packed.clear();
    codec::encode_command(*command, packed_before, writer);
    ORRERY_ASSERT(packed.size() <= codec::kCommandBytesMax);
    ORRERY_ASSERT(std::ranges::equal(packed, reader.since(begin)));
  }
}

void one_old_row(Bytes bytes) {
  ByteReader reader(bytes);
  while (const std::optional<Command> command = codec::decode_old_command(reader)) {
    ORRERY_ASSERT(codec::is_in_range(*command));
  }
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::one_row({data, size});
  orrery::one_old_row({data, size});
  return 0;
}

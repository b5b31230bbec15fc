// Builds messages in bounded memory and verifies them with bounded work. Only for the .cpp files of
// this folder.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <array>
#include <cstdint>
#include <vector>

#include "common/core/assert.h"
#include "common/core/bytes.h"
#include "common/core/limits.h"

namespace orrery::codec {

// Memory for one message while it is built. Its size is fixed, so the builder never allocates.
class MessageMemory final : public flatbuffers::Allocator {
 public:
  static constexpr std::size_t kBytes = 2048;

  // Hands out the whole block. REQUIRES: size <= kBytes, and the block is not in use.
  std::uint8_t* allocate(std::size_t size) override {
    ORRERY_ASSERT(size <= kBytes && !used_);
    used_ = true;
    return memory_.data();
  }
  void deallocate(std::uint8_t*, std::size_t) override { used_ = false; }

 private:
  alignas(16) std::array<std::uint8_t, kBytes> memory_;
  bool used_ = false;
};

// A builder of one message in fixed memory.
class MessageBuilder {
 public:
  // Returns the FlatBuffers builder.
  flatbuffers::FlatBufferBuilder& operator*() { return builder_; }

  // Ends the message with this root and appends it to `out`. REQUIRES: out.size() is a multiple of
  // 8.
  template <class Table>
  void finish(flatbuffers::Offset<Table> root, std::vector<std::uint8_t>& out) {
    ORRERY_ASSERT(out.size() % 8 == 0);  // otherwise the message would be misaligned
    builder_.Finish(root);
    const std::uint8_t* const data = builder_.GetBufferPointer();
    out.insert(out.end(), data, data + builder_.GetSize());
  }

 private:
  MessageMemory memory_;
  flatbuffers::FlatBufferBuilder builder_{MessageMemory::kBytes, &memory_};
};

// Returns the root of a message from an untrusted source, or nullptr if the bytes are not a valid
// message. Allows only one table, because no message has tables inside its root. REQUIRES:
// bytes.data() is aligned to 8.
template <class Table>
const Table* verified(Bytes bytes) {
  ORRERY_ASSERT(reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 == 0);
  if (bytes.size() > limits::kMessageBytesMax) return nullptr;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), /*max_depth=*/2, /*max_tables=*/1);
  if (!verifier.VerifyBuffer<Table>(nullptr)) return nullptr;
  return flatbuffers::GetRoot<Table>(bytes.data());
}

// Returns true if the items of a vector of structs are aligned. The verifier does not check this.
template <class Struct>
bool items_are_aligned(const flatbuffers::Vector<const Struct*>& items) {
  return reinterpret_cast<std::uintptr_t>(items.Data()) % alignof(Struct) == 0;
}

}  // namespace orrery::codec

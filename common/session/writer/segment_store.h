// Declares the interface through which a log reaches its storage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/codec/log_codec.h"
#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/result.h"

namespace orrery::session {

// A segment that another program removed, replaced or cut.
struct SegmentLoss {
  std::uint32_t segment = 0;
  Tick after;        // the log is whole up to this tick
  std::string what;  // one line, with the name of the file
};

// An interface for storage of segments: files on a disk (common/host/disk/segment_files.h), or
// memory. An Error is one line with the name of the file.
struct SegmentStore {
  virtual ~SegmentStore() = default;

  // Creates the segment that `header` describes, with these first bytes. Returns when the bytes are
  // durable. After an Error no reader finds a part of the segment, and the caller may try again.
  // REQUIRES: the previous segment was closed.
  virtual Status create(const codec::LogHeader& header, Bytes bytes) = 0;

  // Appends to the segment created last. Returns when the bytes are durable. After an Error any
  // part of the bytes may be stored; the caller must close the segment.
  virtual Status append(Bytes bytes) = 0;

  // Closes the segment created last: nothing more is written to it.
  virtual void close() = 0;

  // Looks for damage that other programs did. Returns a loss that no earlier call returned, if any.
  virtual std::optional<SegmentLoss> check() = 0;
};

}  // namespace orrery::session

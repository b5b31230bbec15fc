// Opens session logs from files, and unpacks their segments.
#include "client/api/log/log_handle.h"
#include "client/api/machine/machine.h"
#include "common/host/disk/log_segments.h"
#include "common/host/disk/packing/packed_segment.h"

namespace orrery::api {

Result<std::unique_ptr<session::ByteSource>> plain_segment(
    std::unique_ptr<session::ByteSource> file) {
  return std::unique_ptr<session::ByteSource>(
      std::make_unique<host::SegmentSource>(std::move(file)));
}

}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_log_from_file(const char* path, orrery_log** log, char* why, uint32_t why_size) {
  if (path == nullptr) {
    copy_text("the path is null", why, why_size);
    if (log != nullptr) *log = nullptr;
    return ORRERY_BAD_ARGUMENT;
  }
  return open_log(orrery::host::segments_of(path), log, why, why_size);
}

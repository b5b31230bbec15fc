// The general functions of the C interface: versions, errors and space.
#include <cstdio>
#include <cstring>

#include "client/api/handle.h"
#include "client/api/structs.h"
#include "common/core/limits.h"
#include "common/core/versions.h"
#include "common/math/range.h"

namespace orrery::api {
namespace {

struct Meaning {
  std::int32_t code;
  const char* text;
};

constexpr Meaning kMeanings[] = {
    {ORRERY_OK, "success"},
    {ORRERY_END, "nothing is left"},
    {ORRERY_MORE, "the work is not done yet"},
    {ORRERY_BAD_HANDLE, "the handle is null or of another type"},
    {ORRERY_BAD_ARGUMENT, "an argument is null, out of range or not finite"},
    {ORRERY_WRONG_SIZE, "the size of a struct or a stride is wrong"},
    {ORRERY_SHORT_BUFFER, "the buffer is too small"},
    {ORRERY_NOT_FOUND, "there is no such body, part or tick"},
    {ORRERY_BAD_SCENE, "the scene is invalid"},
    {ORRERY_BAD_COMMAND, "a command is invalid or in the wrong order"},
    {ORRERY_BAD_IMAGE, "the image is damaged or of another scene"},
    {ORRERY_BAD_LOG, "the log is damaged or cannot be read"},
    {ORRERY_OTHER_RULES, "the log needs a build with other rules"},
    {ORRERY_DIVERGED, "the replay differs from the log"},
    {ORRERY_READ_ONLY, "the world of a log cannot be changed"},
    {ORRERY_FLOAT_MODE, "this thread has another floating-point mode"},
    {ORRERY_NO_MEMORY, "memory ran out"},
    {ORRERY_BROKEN, "an earlier call ran out of memory"},
    {ORRERY_BAD_ADDRESS,
     "the text is no address such as 127.0.0.1:4770, or no socket can be opened for it"},
    {ORRERY_BAD_TOKEN, "the token or key is unusable, or none was asked for"},
    {ORRERY_NOT_READY, "the client is not connected, or the data has not arrived"},
    {ORRERY_BUSY, "too many commands wait, or the process has a server"},
    {ORRERY_WRONG_THREAD, "the handle belongs to another thread"},
};

// Returns the meaning of a code, or null.
const char* meaning(std::int32_t code) {
  for (const auto& [known, text] : kMeanings) {
    if (known == code) return text;
  }
  return nullptr;
}

bool is_handle(const Handle* handle) {
  return handle != nullptr &&
         (handle->type == HandleType::world || handle->type == HandleType::log ||
          handle->type == HandleType::client || handle->type == HandleType::server);
}

}  // namespace

std::int32_t fail(Handle& handle, std::int32_t code, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(handle.error, sizeof handle.error, format, arguments);
  va_end(arguments);
  return code;
}

void copy_text(const char* from, char* text, std::uint32_t text_size) {
  if (text == nullptr || text_size == 0) return;
  const std::size_t length = strnlen(from, text_size - 1);
  std::memcpy(text, from, length);
  text[length] = '\0';
}

}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_version(orrery_versions* versions) {
  if (versions == nullptr) return ORRERY_BAD_ARGUMENT;
  if (!is_size_of<orrery_versions>(versions->size)) return ORRERY_WRONG_SIZE;
  write_struct(versions, {0, ORRERY_VERSION_NUMBERS, orrery::kRulesVersion,
                          orrery::kProtocolVersion, orrery::kLogFormatVersion, 0});
  return ORRERY_OK;
}

int32_t orrery_code_text(int32_t code, char* text, uint32_t text_size) {
  if (text == nullptr || text_size == 0) return ORRERY_BAD_ARGUMENT;
  const char* const known = meaning(code);
  copy_text(known ? known : "unknown code", text, text_size);
  return known ? ORRERY_OK : ORRERY_NOT_FOUND;
}

int32_t orrery_last_error(const void* handle, char* text, uint32_t text_size) {
  if (text == nullptr || text_size == 0) return ORRERY_BAD_ARGUMENT;
  const auto* const known = static_cast<const Handle*>(handle);
  copy_text(is_handle(known) ? known->error : "", text, text_size);
  return is_handle(known) ? ORRERY_OK : ORRERY_BAD_HANDLE;
}

int32_t orrery_set_space(void* handle, const orrery_space* space) {
  auto* const known = static_cast<Handle*>(handle);
  if (!is_handle(known)) return ORRERY_BAD_HANDLE;
  const std::int32_t code = check_struct(*known, space, "space", true);
  if (code != ORRERY_OK) return code;
  if (space->axes > ORRERY_Z_UP_RIGHT) {
    return fail(*known, ORRERY_BAD_ARGUMENT, "axes are %u; they must be ORRERY_Y_UP_RIGHT, ...",
                space->axes);
  }
  const double units = space->units == 0 ? 1 : space->units;
  const orrery::Vec3 origin{space->origin[0], space->origin[1], space->origin[2]};
  if (!orrery::within(units, 1e-6, 1e6) || !orrery::within(origin, orrery::limits::kLengthMax)) {
    return fail(*known, ORRERY_BAD_ARGUMENT,
                "units must be from 1e-6 to 1e6, and the origin must be within 1e12");
  }
  known->space = {space->axes, units, origin};
  return ORRERY_OK;
}

// The common part of all handles: their type, their last error, and the calls that let no exception
// reach the caller.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <exception>
#include <new>

#include "client/api/orrery.h"
#include "client/api/space.h"

namespace orrery::api {

// The type of a handle, as a number that memory rarely holds by chance.
enum class HandleType : std::uint32_t {
  none = 0,  // destroyed
  world = 0x6f725f77,
  log = 0x6f725f6c,
  client = 0x6f725f63,
  server = 0x6f725f73,
};

// Returns an address that no other running thread has.
inline const void* this_thread() {
  static thread_local char mark;
  return &mark;
}

// The base of all handles.
struct Handle {
  explicit Handle(HandleType type_in) : type(type_in) {}
  ~Handle() { type = HandleType::none; }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  HandleType type;
  const void* thread = nullptr;  // the only thread that may use the handle; null: any
  bool broken = false;   // memory ran out in a call that changes the handle: its state is unknown
  char error[512] = "";  // why the last failed call failed
  Space space;
};

// Writes a sentence into the handle, and returns `code`.
[[gnu::format(printf, 3, 4)]] std::int32_t fail(Handle& handle, std::int32_t code,
                                                const char* format, ...);

// Copies `from` to `text`, cut to `text_size` bytes with its zero byte. Ignores a null `text`.
void copy_text(const char* from, char* text, std::uint32_t text_size);

// Runs `body(*handle)` and returns its code. REQUIRES: H has a constant kType.
template <class H, class Body>
std::int32_t guarded(H* handle, Body body) noexcept {
  if (handle == nullptr || handle->type != H::kType) return ORRERY_BAD_HANDLE;
  if (handle->thread != nullptr && handle->thread != this_thread()) return ORRERY_WRONG_THREAD;
  if (handle->broken) return ORRERY_BROKEN;
  try {
    return body(*handle);
  } catch (const std::exception&) {  // std::bad_alloc, or a container too large for memory
    handle->broken = true;
    return fail(*handle, ORRERY_NO_MEMORY, "memory ran out; destroy the handle");
  }
}

// Makes a handle with `make(code)`. `make` returns the handle, or sets `code`, writes `why` and
// returns null.
template <class H, class Make>
std::int32_t created(H** handle, char* why, std::uint32_t why_size, Make make) noexcept {
  copy_text("", why, why_size);
  if (handle == nullptr) {
    copy_text("the place for the handle is null", why, why_size);
    return ORRERY_BAD_ARGUMENT;
  }
  *handle = nullptr;
  std::int32_t code = ORRERY_OK;
  try {
    *handle = make(code);
  } catch (const std::exception&) {
    copy_text("memory ran out", why, why_size);
    code = ORRERY_NO_MEMORY;
  }
  return code;
}

// The sentence of ORRERY_FLOAT_MODE.
inline constexpr char kFloatMode[] =
    "this thread does not round to nearest, or flushes subnormal numbers to zero; restore the "
    "default floating-point mode before the call";

}  // namespace orrery::api

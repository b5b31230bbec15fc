// Keeps the reason of a fault for the page.
//
// A fault is a failed assertion, or memory that ran out. It ends the call with a trap. Programs
// write the reason to stderr. A page has no stderr: the functions of WASI below keep the text.
#include <wasi/api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

namespace {

char reason[512] = "";  // ends with a zero byte
std::size_t reason_size = 0;

void keep(const void* text, std::size_t size) {
  const std::size_t count = std::min(size, sizeof reason - 1 - reason_size);
  std::memcpy(reason + reason_size, text, count);
  reason_size += count;
}

// Returns memory, or traps if there is none. Without exceptions, the library's operator new would
// return null.
void* or_trap(void* memory) {
  if (memory != nullptr) return memory;
  keep("memory ran out", 14);
  __builtin_trap();
}

}  // namespace

// Returns why the module trapped. The text is empty if it did not, or if the reason is unknown.
extern "C" [[gnu::visibility("default")]] const char* orrery_fault() { return reason; }

void* operator new(std::size_t size) {
  return or_trap(std::malloc(std::max<std::size_t>(size, 1)));
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  const std::size_t whole = (std::max<std::size_t>(size, 1) + step - 1) / step * step;
  return or_trap(whole < size ? nullptr : std::aligned_alloc(step, whole));
}

// --- the functions of WASI that the C library writes with. Without them the module would import
// --- them from the page.

extern "C" __wasi_errno_t __wasi_fd_write(__wasi_fd_t, const __wasi_ciovec_t* parts,
                                          std::size_t count, __wasi_size_t* written) {
  *written = 0;
  for (const __wasi_ciovec_t& part : std::span(parts, count)) {
    keep(part.buf, part.buf_len);
    *written += part.buf_len;
  }
  return __WASI_ERRNO_SUCCESS;
}

extern "C" __wasi_errno_t __wasi_fd_seek(__wasi_fd_t, __wasi_filedelta_t, __wasi_whence_t,
                                         __wasi_filesize_t*) {
  return __WASI_ERRNO_SPIPE;
}

extern "C" __wasi_errno_t __wasi_fd_close(__wasi_fd_t) { return __WASI_ERRNO_BADF; }

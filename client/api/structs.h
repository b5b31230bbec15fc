// Reads and writes the structs of the header, whose first field is their size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "client/api/handle.h"
#include "common/core/bounded_bytes.h"

namespace orrery::api {

// Largest accepted size of a struct. A larger number is probably memory that the caller did not
// set.
inline constexpr std::uint32_t kStructBytesMax = 4096;

// Returns true if `size` can be the size of a struct S: at least the size in this version, and a
// multiple of the alignment, so that S stays aligned in an array.
template <class S>
bool is_size_of(std::uint32_t size) {
  return size >= sizeof(S) && size <= kStructBytesMax && size % alignof(S) == 0;
}

// Returns true if the fields that only later versions know are 0. Other values ask for something
// that this version cannot do.
template <class S>
bool rest_is_zero(const S* s) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(s);
  for (std::uint32_t i = sizeof(S); i < s->size; ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

// Checks a struct that the caller passes; `name` is its name in messages.
template <class S>
std::int32_t check_struct(Handle& handle, const S* s, const char* name, bool is_input) {
  if (s == nullptr) return fail(handle, ORRERY_BAD_ARGUMENT, "%s is null", name);
  if (!is_size_of<S>(s->size)) {
    return fail(handle, ORRERY_WRONG_SIZE, "%s has size %u; set it to sizeof, %zu", name, s->size,
                sizeof(S));
  }
  if (is_input && !rest_is_zero(s)) {
    return fail(handle, ORRERY_WRONG_SIZE, "%s sets fields that this library does not know", name);
  }
  return ORRERY_OK;
}

// Sets the fields of the caller's struct. Keeps its size, and the fields that only later versions
// know.
template <class S>
void write_struct(S* to, S from) {
  from.size = to->size;
  std::memcpy(to, &from, sizeof(S));
}

// Copies bytes into an array of a struct, and returns their number.
template <std::size_t kMax, std::size_t kRoom>
std::uint16_t bytes_out(const BoundedBytes<kMax>& from, std::uint8_t (&to)[kRoom]) {
  static_assert(kMax <= kRoom);
  const Bytes bytes = from.view();
  std::copy(bytes.begin(), bytes.end(), to);
  return static_cast<std::uint16_t>(bytes.size());
}

// An array of structs of the caller, each with the size of the first.
template <class S>
class Rows {
 public:
  explicit Rows(S* first) : first_(first) {}
  S* operator[](std::size_t i) const {
    using Byte = std::conditional_t<std::is_const_v<S>, const char, char>;
    return reinterpret_cast<S*>(reinterpret_cast<Byte*>(first_) + i * first_->size);
  }

 private:
  S* first_;
};

// Writes the result of `describe(handle)` into the struct of the caller.
template <class H, class S, class Describe>
std::int32_t give(H* handle, S* to, const char* name, Describe describe) noexcept {
  return guarded(handle, [&](H& h) -> std::int32_t {
    const std::int32_t code = check_struct(h, to, name, false);
    if (code == ORRERY_OK) write_struct(to, describe(h));
    return code;
  });
}

// Copies bytes to the caller, if `capacity` is enough for them.
inline std::int32_t give_bytes(Handle& handle, const std::vector<std::uint8_t>& from, void* to,
                               std::uint64_t capacity, const char* name) {
  if (to == nullptr || capacity < from.size()) {
    return fail(handle, ORRERY_SHORT_BUFFER, "%s has %zu bytes", name, from.size());
  }
  std::memcpy(to, from.data(), from.size());
  return ORRERY_OK;
}

// Checks an array of structs: the first as check_struct() does, and that all sizes are equal. An
// empty array may be null.
template <class S>
std::int32_t check_rows(Handle& handle, S* first, std::uint32_t count, const char* name,
                        bool is_input) {
  if (count == 0) return ORRERY_OK;
  if (const std::int32_t code = check_struct(handle, first, name, is_input); code != ORRERY_OK) {
    return code;
  }
  const Rows<S> rows(first);
  for (std::uint32_t i = 1; i < count; ++i) {
    if (rows[i]->size != first->size) {
      return fail(handle, ORRERY_WRONG_SIZE, "%s %u has size %u, and the first has %u", name, i,
                  rows[i]->size, first->size);
    }
    if (is_input && !rest_is_zero(rows[i])) return check_struct(handle, rows[i], name, true);
  }
  return ORRERY_OK;
}

// Writes `convert(item)` for each item of a list to `to`. If there are more than `capacity` items,
// or `to` is unusable, writes none and returns the code of the error.
template <class S, class List, class Convert>
std::int32_t give_list(Handle& handle, const List& list, S* to, std::uint32_t capacity,
                       const char* name, Convert convert) {
  const auto count = static_cast<std::uint32_t>(list.size());
  if (capacity < count) {
    return fail(handle, ORRERY_SHORT_BUFFER, "the capacity is %u, and there are %u %ss", capacity,
                count, name);
  }
  const std::int32_t code = check_rows(handle, to, count, name, false);
  if (code != ORRERY_OK) return code;
  for (std::uint32_t i = 0; i < count; ++i) write_struct(Rows(to)[i], convert(list[i]));
  return ORRERY_OK;
}

}  // namespace orrery::api

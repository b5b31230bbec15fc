// Owns Result: a value, or an error of the outside world told in one line.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "common/core/assert.h"

namespace orrery {

// What is wrong and what would be right, in one line for a person. Whoever knows the file or option
// that it is about puts that in front.
struct Error {
  std::string message;
};

// Either a T or an Error. Asking for the one that is not there is a programmer's error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() {
    ORRERY_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    ORRERY_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  const Error& error() const {
    ORRERY_ASSERT(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

// Success, or an Error.
using Status = Result<std::monostate>;
inline Status ok_status() { return std::monostate{}; }

}  // namespace orrery

// A value, or an error that came from outside the program.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "common/core/assert.h"

namespace orrery {

// An error message for a person: one line that says what is wrong and what would be right. The
// caller prepends the file or option name.
struct Error {
  std::string message;
};

// Either a T or an Error. Accessing the one that is absent fails an assertion.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  // Returns true if there is a value.
  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Returns the value. REQUIRES: ok().
  T& value() {
    ORRERY_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  // Returns the value. REQUIRES: ok().
  const T& value() const {
    ORRERY_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  // Returns the error. REQUIRES: !ok().
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

// A value, or an error that came from outside the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "common/core/assert.h"

namespace orrery {

// The kind of an error, for programs. client/README.md has the exit code of each. The names do not
// change.
enum class ErrorCode : std::uint8_t {
  invalid,     // an input breaks a rule
  syntax,      // a text cannot be parsed
  io,          // the system cannot open, read or write a file
  damaged,     // stored bytes were changed: valid ones follow them
  version,     // stored bytes are of another format or other rules
  incomplete,  // stored bytes are cut, as after a crash, or no part of them is valid
};
inline constexpr std::uint8_t kErrorCodes = 6;

// Returns the name of the code: "damaged".
std::string_view name_of(ErrorCode code);

// The place that an Error is about. Each part may be unknown.
struct Place {
  std::string source = {};   // a path, a scene or an address; empty: unknown
  std::uint32_t line = 0;    // from 1; 0: unknown
  std::uint32_t column = 0;  // in bytes, from 1; 0: unknown
  std::string key = {};  // "threads", "--threads", or a path as "bodies[3].mass"; empty: unknown
};

// An error for a person and for programs. Programs read `code` and `place`, never `message`.
struct Error {
  // One line that says what is wrong and what would be right. It does not repeat source and line.
  std::string message;
  ErrorCode code = ErrorCode::invalid;
  Place place = {};

  // Returns an error about a key. The message is the key, followed by `rest`.
  static Error at(const std::string& key, std::string_view rest);

  // Returns the error as one of an item of a list: item 3 of "body" prefixes the message with
  // "body 3: ", and the key with "body[3].".
  Error in_item(const std::string& item, std::size_t index) const;
  // Returns the error with this source in its place, unless it names a source already.
  Error in(std::string source) const;
  // Returns the error as one of an option of the command line: the option, `between` and the place
  // are in front of the message, and the option is the key.
  Error of_option(const std::string& option, std::string_view between = ": ") const;
  // Returns the error with `prefix` and the place in front of its message.
  Error after(const std::string& prefix) const;

  // Returns the place and the message in one line: "FILE:6:21: unknown key".
  std::string text() const;
};

// An Error, or nothing.
using Problem = std::optional<Error>;

// Returns Error::at(). In the page, a call of it takes fewer bytes.
Problem problem_at(const char* key, const char* rest);

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

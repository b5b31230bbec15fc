// Starts threads that compute, after a check of their floating-point arithmetic.
#pragma once

#include <exception>
#include <functional>
#include <thread>

namespace orrery::host {

// The exception for a program or thread in which float_environment_is_sound()
// (core/float_environment.h) returns false.
class FloatEnvironmentError final : public std::exception {
 public:
  const char* what() const noexcept override;
};

// Starts a thread that runs `work`. If the floating-point environment of the new thread is not
// sound, throws FloatEnvironmentError and does not run `work`. Throws std::system_error if the
// system cannot start a thread.
std::jthread start_checked_thread(std::function<void()> work);

}  // namespace orrery::host

// Owns the start of threads that compute: each checks first how its processor rounds.
#pragma once

#include <exception>
#include <functional>
#include <thread>

namespace orrery {

// Thrown by a program or a thread whose floating-point environment is not sound
// (core/float_environment.h).
class UnsoundFloats final : public std::exception {
 public:
  const char* what() const noexcept override;
};

// Starts a thread that does `work`. Throws UnsoundFloats, and does nothing, if the environment of
// the new thread is not sound; std::system_error if the system has no thread left.
std::jthread start_sound_thread(std::function<void()> work);

}  // namespace orrery

// Starts threads that compute, after a check of their floating-point arithmetic.
#include "common/host/process/sound_thread.h"

#include <future>
#include <utility>

#include "common/core/float_environment.h"

namespace orrery::host {

const char* FloatEnvironmentError::what() const noexcept {
  return "this process does not compute as IEEE 754 says: a library has changed the rounding, "
         "turned subnormal numbers off or unmasked exceptions; look for one that was built with "
         "-ffast-math, and for LD_PRELOAD";
}

std::jthread start_checked_thread(std::function<void()> work) {
  std::promise<bool> promise;
  std::future<bool> sound = promise.get_future();
  std::jthread thread([promise = std::move(promise), work = std::move(work)]() mutable {
    const bool is_sound = float_environment_is_sound();
    promise.set_value(is_sound);
    if (is_sound) work();
  });
  if (!sound.get()) throw FloatEnvironmentError();
  return thread;
}

}  // namespace orrery::host

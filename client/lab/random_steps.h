// The sequence of steps of a run: equal, or random like the frames of a game.
#pragma once

#include <cstdint>
#include <optional>

#include "client/lab/problem.h"

namespace orrery::lab {

// Random numbers from 0 to below 1, by splitmix64 (Steele, Lea, Flood 2014).
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : state_(seed) {}

  double operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

// Step lengths. Without a seed all are dt. With a seed, the first is dt, and all others are
// dt (1/2 + u), with a random u from 0 to below 1.
template <class T>
class Steps {
 public:
  Steps(T dt, std::optional<std::uint64_t> seed) : dt_(dt), uniform_(seed.value_or(0)) {
    random_ = seed.has_value();
  }

  T next() {
    if (!random_ || first_) {
      first_ = false;
      return dt_;
    }
    return dt_ * static_cast<T>(0.5 + uniform_());
  }

 private:
  T dt_;
  Uniform uniform_;
  bool random_;
  bool first_ = true;
};

}  // namespace orrery::lab

// Passes the elementary functions of the C library to the methods.
#pragma once

#include <cmath>

#include "common/integrate/system.h"

namespace orrery::lab {

template <class T>
integrate::Functions<T> library_functions() {
  return {[](T x) { return std::exp(x); }, [](T x) { return std::sin(x); },
          [](T x) { return std::cos(x); }};
}

}  // namespace orrery::lab

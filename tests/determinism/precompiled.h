// Owns what every row of the matrix compiles once, and not once for each file: most of a file's
// time is reading these.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "common/physics/bodies.h"
#include "flatbuffers/flatbuffers.h"

// Solves small dense systems of linear equations.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "common/core/assert.h"

namespace orrery::integrate {

namespace detail {

// Returns the absolute value.
template <class T>
T magnitude(T x) {
  return x < 0 ? -x : x;
}

// Returns the row, from row `column` down, with the largest absolute value in that column.
template <class T>
std::size_t pivot_row(std::span<const T> matrix, std::size_t n, std::size_t column) {
  std::size_t best = column;
  for (std::size_t row = column + 1; row < n; ++row) {
    if (magnitude(matrix[row * n + column]) > magnitude(matrix[best * n + column])) best = row;
  }
  return best;
}

}  // namespace detail

// Solves matrix y = right by Gaussian elimination with partial pivoting. `right` is replaced by y,
// and the matrix, n by n in row-major order, is overwritten. A singular matrix gives results that
// are not finite. REQUIRES: matrix.size() == right.size()^2.
template <class T>
void solve_linear(std::span<T> matrix, std::span<T> right) {
  const std::size_t n = right.size();
  ORRERY_ASSERT(matrix.size() == n * n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t pivot = detail::pivot_row<T>(matrix, n, k);
    if (pivot != k) {
      for (std::size_t j = k; j < n; ++j) std::swap(matrix[k * n + j], matrix[pivot * n + j]);
      std::swap(right[k], right[pivot]);
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const T factor = matrix[i * n + k] / matrix[k * n + k];
      for (std::size_t j = k + 1; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
      right[i] -= factor * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) right[k] -= matrix[k * n + j] * right[j];
    right[k] /= matrix[k * n + k];
  }
}

}  // namespace orrery::integrate

// Eigenvalues and eigenvectors of a symmetric matrix.
#pragma once

#include <cstddef>
#include <span>

#include "common/core/assert.h"
#include "common/integrate/square_root.h"

namespace orrery::integrate {

namespace detail {

// Does one Jacobi rotation in the plane of axes p and q, so that element (p, q) of the matrix
// becomes 0. Changes rows and columns p and q of `matrix`, and columns p and q of `vectors`.
template <class T>
void jacobi_rotation(std::span<T> matrix, std::span<T> vectors, std::size_t n, std::size_t p,
                     std::size_t q) {
  const T off = matrix[p * n + q];
  if (off == 0) return;
  const T ratio = (matrix[q * n + q] - matrix[p * n + p]) / (2 * off);
  const T root = square_root(1 + ratio * ratio);
  const T tangent = ratio >= 0 ? 1 / (ratio + root) : 1 / (ratio - root);
  const T cosine = 1 / square_root(1 + tangent * tangent);
  const T sine = tangent * cosine;
  const auto turn = [cosine, sine](T& a, T& b) {
    const T turned = cosine * a - sine * b;
    b = sine * a + cosine * b;
    a = turned;
  };
  for (std::size_t k = 0; k < n; ++k) turn(matrix[k * n + p], matrix[k * n + q]);
  for (std::size_t k = 0; k < n; ++k) turn(matrix[p * n + k], matrix[q * n + k]);
  for (std::size_t k = 0; k < n; ++k) turn(vectors[k * n + p], vectors[k * n + q]);
}

}  // namespace detail

// Diagonalises a symmetric n by n matrix. Its diagonal becomes the eigenvalues. Column k of
// `vectors` becomes the eigenvector of length 1 of the k-th eigenvalue. Both matrices are stored in
// row-major order. Uses Jacobi's method with + - * / and square root only. After 12 rounds, the
// elements off the diagonal are only rounding errors.
template <class T>
void diagonalize(std::span<T> matrix, std::span<T> vectors, std::size_t n) {
  ORRERY_ASSERT(matrix.size() == n * n);
  ORRERY_ASSERT(vectors.size() == n * n);
  for (std::size_t i = 0; i < n * n; ++i) vectors[i] = i % (n + 1) == 0 ? T(1) : T(0);
  constexpr int kRounds = 12;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) detail::jacobi_rotation(matrix, vectors, n, p, q);
    }
  }
}

}  // namespace orrery::integrate

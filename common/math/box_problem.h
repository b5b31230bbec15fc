// Solves systems of linear equations with bounds on the unknowns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

// A row of a box problem: its unknown x has the bounds `least` and `most`.
struct BoxRow {
  // The place of x between its bounds.
  enum class Side : std::uint8_t { inside, least, most };
  double start;  // residual of the row if all unknowns are 0
  // The row depends on the rows inside before it if its diagonal entry, after the elimination of
  // these rows, is at most this number.
  double pivot_least;
  double least;
  double most;
  Side side;  // in: a guess; out: where x is
  double x;   // out
  // A row that depends on others, but wants something else than they do, gets x = 0 if it does not
  // yield. If it yields, it gets the bound that is nearer to its aim.
  bool yields = false;
};

// Box problems: find x with least <= x <= most, so that for the residuals w = start + A x
//
//   w = 0 if x is inside its bounds, w >= 0 if x = least, w <= 0 if x = most.
//
// A is symmetric, and x.A x is never negative. This x has the least energy x.A x / 2 + start.x.
//
// The method is block principal pivoting (J. J. Judice, F. M. Pires, Computers & Operations
// Research 21, 1994). It guesses the sides, solves the rows inside directly, and moves all rows
// with a wrong sign to another side. If that does not reduce the number of wrong rows for some
// rounds, it moves only the last wrong row (K. G. Murty), which cannot cycle.
class BoxProblem {
 public:
  // Solves a problem. `matrix` has the rows of A one after another; only its lower triangle is
  // read. A row inside that depends on rows before it gets x = 0, unless it yields.
  // REQUIRES: least <= most, pivot_least > 0.
  void solve(std::span<const double> matrix, std::span<BoxRow> rows);

 private:
  double entry(std::size_t i, std::size_t j) const {
    return matrix_[i > j ? i * n_ + j : j * n_ + i];
  }
  void place_rows();
  void factor();
  void solve_inside();
  void find_wrong();
  void move(BoxRow& row) const;
  void descend();

  std::size_t n_ = 0;
  std::span<const double> matrix_;
  std::span<BoxRow> rows_;
  std::vector<std::size_t> inside_;
  std::vector<std::size_t> wrong_;
  std::vector<double> factor_;  // L and D of the rows inside; on the diagonal, the inverses of D
  std::vector<double> values_;
};

}  // namespace orrery

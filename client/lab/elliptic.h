// Jacobi's elliptic functions, for the exact pendulum and the free rigid body.
#pragma once

#include "client/lab/problem.h"

namespace orrery::lab {

struct EllipticFunctions {
  Real sn = 0;
  Real cn = 1;
  Real dn = 1;
  Real am = 0;  // amplitude: sn = sin am, cn = cos am; it grows with u
};

// Returns the functions of u for modulus k. REQUIRES: 0 <= k < 1.
EllipticFunctions jacobi(Real u, Real k);

// Returns the complete integral of the first kind, K(k): a quarter of the period of sn and cn.
// REQUIRES: 0 <= k < 1.
Real complete_integral(Real k);

// Returns the incomplete integral F(amplitude, k): the u with jacobi(u, k).am = amplitude.
// REQUIRES: 0 <= k < 1.
Real incomplete_integral(Real amplitude, Real k);

}  // namespace orrery::lab

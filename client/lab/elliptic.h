// Owns Jacobi's elliptic functions, for the exact pendulum and the free rigid body.
#pragma once

#include "client/lab/problem.h"

namespace orrery::lab {

struct EllipticFunctions {
  Real sn = 0;
  Real cn = 1;
  Real dn = 1;
  Real am = 0;  // the amplitude: sn = sin am, cn = cos am; it grows with u
};

// For modulus 0 <= k < 1.
EllipticFunctions jacobi(Real u, Real k);

// The complete integral of the first kind, K(k): a quarter of the period in u.
Real complete_integral(Real k);

// The u whose amplitude is `amplitude`: the incomplete integral F(amplitude, k).
Real incomplete_integral(Real amplitude, Real k);

}  // namespace orrery::lab

// Runs the program of the determinism matrix on one thread.
#include "tests/determinism/matrix_program.h"

int main(int count, char** arguments) {
  orrery::SerialExecutor serial;
  return orrery::run_matrix(count, arguments, serial);
}

// Grover's search for 11 among the numbers 0 to 15: three queries of the oracle, the most likely
// number of rounds for one of 16.
//   hologram qsim examples/grover.qasm --draw circuit.svg --histogram counts.png
OPENQASM 3.0;
include "stdgates.inc";
qubit[4] q;
bit[4] c;

// Turns the sign of |1111>.
gate flip a, b, c, d { h d; c3x a, b, c, d; h d; }

// Turns the sign of |1011>, the number 11: qubit 2 is 0 in it.
gate oracle a, b, c, d { x c; flip a, b, c, d; x c; }

// Turns the sign of everything but the mean.
gate reflect a, b, c, d {
  h a; h b; h c; h d;
  x a; x b; x c; x d;
  flip a, b, c, d;
  x a; x b; x c; x d;
  h a; h b; h c; h d;
}

h q;
oracle q[0], q[1], q[2], q[3];
reflect q[0], q[1], q[2], q[3];
oracle q[0], q[1], q[2], q[3];
reflect q[0], q[1], q[2], q[3];
oracle q[0], q[1], q[2], q[3];
reflect q[0], q[1], q[2], q[3];
c = measure q;

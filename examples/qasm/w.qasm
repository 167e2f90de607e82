// The W state on three qubits: one bit is 1.
OPENQASM 3.0;
include "stdgates.inc";
qubit[3] q;
bit[3] c;

// Of the 1, a keeps cos(half)^2 and passes on the rest.
gate share(half) a, b { cry(2 * half) a, b; cx b, a; }

x q[0];
share(0.9553166181245093) q[0], q[1];  // acos(sqrt(1/3))
share(pi / 4) q[1], q[2];
c = measure q;

OPENQASM 2.0;
include "qelib1.inc";
// The register that is declared last stands first, each with its highest bit first.
qreg q[2];
qreg r[1];
creg one[1];
creg two[3];
h q;
x r;
measure r -> one;
measure q[1] -> two[0];
measure q[0] -> two[2];
// probability 000 1 = 0.25
// probability 001 1 = 0.25
// probability 100 1 = 0.25
// probability 101 1 = 0.25

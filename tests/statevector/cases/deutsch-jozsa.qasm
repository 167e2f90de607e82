OPENQASM 2.0;
include "qelib1.inc";
// Balanced: f(x) = x0 xor (x1 and x2). The inputs are never all 0.
qreg in[3];
qreg out[1];
creg c[3];
x out;
h in;
h out;
barrier in, out;
cx in[0], out[0];
ccx in[1], in[2], out[0];
barrier in, out;
h in;
measure in -> c;
// probability 001 = 0.25
// probability 011 = 0.25
// probability 101 = 0.25
// probability 111 = 0.25

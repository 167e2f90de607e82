OPENQASM 2.0;
include "qelib1.inc";
// Of |5> = |101>: e^(2 pi i 5 k / 8) / sqrt 8.
qreg q[3];
x q[0];
x q[2];
h q[2];
cu1(pi/2) q[1],q[2];
cu1(pi/4) q[0],q[2];
h q[1];
cu1(pi/2) q[0],q[1];
h q[0];
swap q[0],q[2];
// amplitude 000 = 0.35355339059327373
// amplitude 001 = -0.25 -0.25
// amplitude 010 = 0 0.35355339059327373
// amplitude 011 = 0.25 -0.25
// amplitude 100 = -0.35355339059327373
// amplitude 101 = 0.25 0.25
// amplitude 110 = 0 -0.35355339059327373
// amplitude 111 = -0.25 0.25

OPENQASM 2.0;
include "qelib1.inc";
qreg q[4];
creg c[4];
h q[3];
cx q[3],q[2];
cx q[2],q[1];
cx q[1],q[0];
measure q -> c;
// amplitude 0000 = 0.7071067811865476
// amplitude 1111 = 0.7071067811865476
// probability 0000 = 0.5
// probability 1111 = 0.5

OPENQASM 2.0;
include "qelib1.inc";
// One of each gate that only turns phases, on (1, 1, 1, 1)/2; and those that undo each other.
qreg q[2];
h q;
z q[0]; z q[0];
s q[0]; sdg q[0];
t q[1]; tdg q[1];
sx q[0]; sxdg q[0];
u0(1) q[0]; id q[1];
rz(pi/2) q[0];
rz(-pi/2) q[0];
p(0.3) q[0]; u1(-0.3) q[0];
rzz(pi) q[0],q[1];
cz q[0],q[1];
crz(pi) q[0],q[1];
// amplitude 00 = 0 -0.5
// amplitude 01 = 0.5
// amplitude 10 = 0 0.5
// amplitude 11 = -0.5

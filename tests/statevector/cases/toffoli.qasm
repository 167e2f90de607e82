OPENQASM 2.0;
include "qelib1.inc";
// Controlled forms on basis states: each undoes or does what it says.
qreg q[5];
creg c[5];
x q[0]; x q[1];
ccx q[0],q[1],q[2];
c3x q[0],q[1],q[2],q[3];
c4x q[0],q[1],q[2],q[3],q[4];
cswap q[0],q[1],q[2];
x q[1];
cswap q[0],q[1],q[2];
ch q[2],q[0];
csx q[0],q[1]; csx q[0],q[1];
cy q[0],q[1];
crx(pi) q[0],q[1];
cry(pi) q[0],q[1];
rccx q[0],q[3],q[2];
rc3x q[0],q[2],q[3],q[1];
c3sqrtx q[0],q[2],q[3],q[1]; c3sqrtx q[0],q[2],q[3],q[1];
x q[4];
measure q -> c;
// probability 01111 = 1

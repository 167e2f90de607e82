OPENQASM 2.0;
include "qelib1.inc";
// The state of q[0], with probability 1/4 for 1, arrives at q[2] whatever is measured.
qreg q[3];
creg a[1];
creg b[1];
creg out[1];
u3(pi/3,0.4,1.2) q[0];
h q[1];
cx q[1],q[2];
cx q[0],q[1];
h q[0];
measure q[0] -> a[0];
measure q[1] -> b[0];
if (b==1) x q[2];
if (a==1) z q[2];
u3(-pi/3,-1.2,-0.4) q[2];
measure q[2] -> out[0];
// probability 0 0 0 = 0.25
// probability 0 0 1 = 0.25
// probability 0 1 0 = 0.25
// probability 0 1 1 = 0.25

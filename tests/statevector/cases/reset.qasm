OPENQASM 2.0;
include "qelib1.inc";
qreg q[2];
creg c[2];
creg d[2];
reset q;
h q[0];
cx q[0],q[1];
reset q[0];
measure q -> c;
if (c==2) h q[0];
if (c==0) measure q[1] -> d[1];
if (c==2) measure q[0] -> d[0];
if (c==2) reset q[1];
measure q[1] -> c[1];
// probability 00 00 = 0.75
// probability 01 00 = 0.25

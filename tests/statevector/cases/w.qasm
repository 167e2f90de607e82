OPENQASM 2.0;
include "qelib1.inc";
// Of the 1, a stays with 1/rest; the angle has the tangent sqrt(rest - 1).
gate share(half) a,b { cu3(2*half,0,0) a,b; cx b,a; }
qreg q[3];
creg c[3];
x q[0];
share(0.9553166181245093) q[0],q[1];
share(pi/4) q[1],q[2];
measure q -> c;
// amplitude 001 = 0.5773502691896258
// amplitude 010 = 0.5773502691896258
// amplitude 100 = 0.5773502691896258
// probability 001 = 0.3333333333333333
// probability 010 = 0.3333333333333333
// probability 100 = 0.3333333333333333

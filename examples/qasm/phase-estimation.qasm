// Phase estimation: p(2 pi 5/16) turns |1> by 0.0101 in binary, which four qubits read.
OPENQASM 3.0;
include "stdgates.inc";
qubit[4] q;
qubit target;
bit[4] c;

x target;
h q;
cp(2 * pi * 5 / 16) q[0], target;
cp(4 * pi * 5 / 16) q[1], target;
cp(8 * pi * 5 / 16) q[2], target;
cp(16 * pi * 5 / 16) q[3], target;
// The inverse Fourier transform.
swap q[0], q[3];
swap q[1], q[2];
h q[0];
cp(-pi / 2) q[0], q[1];
h q[1];
cp(-pi / 2) q[1], q[2];
cp(-pi / 4) q[0], q[2];
h q[2];
cp(-pi / 2) q[2], q[3];
cp(-pi / 4) q[1], q[3];
cp(-pi / 8) q[0], q[3];
h q[3];
c = measure q;

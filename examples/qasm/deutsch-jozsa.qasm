// The algorithm of Deutsch and Jozsa: f(x) = x0 xor x1 x2 is balanced, so the inputs are never all 0.
OPENQASM 3.0;
include "stdgates.inc";
qubit[3] in;
qubit out;
bit[3] c;

// |x>|y> to |x>|y xor f(x)>.
gate oracle a, b, d, y { cx a, y; ccx b, d, y; }

x out;
h in;
h out;
oracle in[0], in[1], in[2], out;
h in;
c = measure in;

// The algorithm of Bernstein and Vazirani: one query of f(x) = parity of x and 10110 gives 10110.
OPENQASM 3.0;
include "stdgates.inc";
qubit[5] in;
qubit out;
bit[5] c;

gate oracle b, d, e, y { cx b, y; cx d, y; cx e, y; }

x out;
h in;
h out;
oracle in[1], in[2], in[4], out;
h in;
c = measure in;

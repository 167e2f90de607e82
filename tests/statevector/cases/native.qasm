OPENQASM 2.0;
// No library: U and CX, broadcast over registers of one size.
gate flip a { U(pi,0,pi) a; }
gate both() a,b { flip a; barrier a,b; CX a,b; }
qreg a[2];
qreg b[2];
qreg one[1];
both a, b;
CX one, a[0];
CX a[0], one;
// amplitude 11111 = 1

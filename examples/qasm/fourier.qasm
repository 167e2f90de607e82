// The Fourier transform takes a phase that winds 3 times around 8 numbers to 3, by its inverse.
OPENQASM 3.0;
include "stdgates.inc";
qubit[3] q;
bit[3] c;

gate fourier a, b, d {
  h d;
  cp(pi / 4) a, d;
  cp(pi / 2) b, d;
  h b;
  cp(pi / 2) a, b;
  h a;
  swap a, d;
}
gate inverse_fourier a, b, d {
  swap a, d;
  h a;
  cp(-pi / 2) a, b;
  h b;
  cp(-pi / 2) b, d;
  cp(-pi / 4) a, d;
  h d;
}

// e^(2 pi i 3 x / 8) for each x, made by hand, and once there and back.
h q;
p(3 * pi / 4) q[0];
p(3 * pi / 2) q[1];
p(3 * pi) q[2];
inverse_fourier q[0], q[1], q[2];
fourier q[0], q[1], q[2];
inverse_fourier q[0], q[1], q[2];
c = measure q;

# cmake -DFILE=stdlib.holo -DPARTS=63 -P print_size.cmake: says how large it became.
file(SIZE ${FILE} bytes)
math(EXPR tenths "${bytes} / 100000")
math(EXPR whole "${tenths} / 10")
math(EXPR rest "${tenths} % 10")
message("stdlib.holo: ${PARTS} kernel files, ${whole}.${rest} MB")

# columns count bytes
x = 'äöü' + ) 1

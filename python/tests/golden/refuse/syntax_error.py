def k(a):
    x = = 1

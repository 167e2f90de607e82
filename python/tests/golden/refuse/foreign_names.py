from mylib import DeviceArray, exp, f32


def k(a: DeviceArray[f32]):
    a[0] = exp(a[1])

from hologram.lang import DeviceArray, f32


def k(ä: DeviceArray[f32]):
	if True:
		ä[0] = ä[1] + None

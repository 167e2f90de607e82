"""`hologram debug`: a launch as plain Python, for every debugger that speaks the Debug Adapter
Protocol (docs/debugging.md).

  __main__    started by the command
  request     what the command hands over: the kernel, its arguments, its launch
  recorder    the values of all lanes
  session     the launch, and debugpy
"""

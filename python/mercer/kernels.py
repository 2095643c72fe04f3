from mercer import _mercer
class Kernel:
    def __init__(self, text): self._native=_mercer.Kernel(text)
    def __str__(self): return str(self._native)

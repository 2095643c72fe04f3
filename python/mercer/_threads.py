"""Threads: our pool is one that `threadpoolctl` knows."""

from __future__ import annotations

import threadpoolctl

from mercer import _mercer


class _Controller(threadpoolctl.LibController):
    """Lets `threadpool_limits` hold for us too."""

    user_api = "mercer"
    internal_api = "mercer"
    filename_prefixes = ("_mercer",)

    def get_num_threads(self) -> int:
        return _mercer.num_threads()

    def set_num_threads(self, num_threads: int) -> None:
        _mercer.set_num_threads(num_threads)

    def get_version(self) -> str:
        return _mercer.__version__


threadpoolctl.register(_Controller)

"""Threads: our pool is one that `threadpoolctl` knows."""

from __future__ import annotations

from typing import Any

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

    def set_additional_attributes(self) -> None:
        pass


threadpoolctl.register(_Controller)


def count(n_threads: Any) -> int | None:
    """Threads meant by a parameter: None for the default, -1 for all processors."""
    if n_threads is None or n_threads == -1:
        return None
    return int(n_threads)

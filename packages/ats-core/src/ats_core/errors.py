"""Every error that ATS raises on purpose, and nothing else.

    AtsError                      1  something failed
    |-- UsageError                2  the call's words are wrong
    |-- ConfigError               2  a setting, a file of ours or an installation is wrong
    |   |-- UnknownAdapterError      no such adapter is installed
    |   |-- BrokenPluginError        it is installed, but cannot be loaded or registered
    |   `-- NoEmbedderError          dense retrieval was asked for and nothing computes vectors
    |-- StoreError                1  the adapter's store failed or answered nonsense
    |   |-- LoginRequiredError    3  the store wants a login
    |   |-- RateLimitedError         the store said "not so fast"; `retry_after` in seconds, if it said when
    |   |-- StoreTimeoutError        the store did not answer within its deadline
    |   |-- ContractError            a hook returned something that its contract forbids
    |   `-- ReadOnlyAdapterError     the adapter has no writes
    |-- EmbeddingError            1  an embedder failed or answered nonsense
    |-- NotFoundError             1  no such task or project
    `-- AllBranchesFailedError    4  nobody answered the question

The number is the process' exit code (`exit_code`). `hint` is one line that says what to do, without a full stop.
Messages never carry a secret: whoever raises one of these words the message himself.
"""

from __future__ import annotations


class AtsError(Exception):
    """Base of the tree: a message of one line, and a hint of one line or None."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = str(message)  # some hand over the exception they caught
        self.hint = hint


class UsageError(AtsError):
    """The call's words are wrong: a blank query, an unknown option value."""

    exit_code = 2


class ConfigError(AtsError):
    """A setting, a configuration file or an installation is wrong."""

    exit_code = 2


class UnknownAdapterError(ConfigError):
    """No installed distribution offers an adapter of this name."""


class BrokenPluginError(ConfigError):
    """A plugin is installed but cannot be loaded or registered."""


class NoEmbedderError(ConfigError):
    """Dense retrieval was asked for, but nothing here computes vectors."""


class StoreError(AtsError):
    """The adapter's store failed."""


class LoginRequiredError(StoreError):
    """The store wants a login first."""

    exit_code = 3


class RateLimitedError(StoreError):
    """The store refuses for a while; `retry_after` is in seconds, None where it did not say."""

    def __init__(self, message: str, *, hint: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class StoreTimeoutError(StoreError):
    """The store did not answer within its deadline."""


class ContractError(StoreError):
    """A hook returned something that its contract in `hookspecs.py` forbids."""


class ReadOnlyAdapterError(StoreError):
    """The adapter implements no writes."""


class EmbeddingError(AtsError):
    """An embedder failed, or answered with vectors that cannot be used."""


class NotFoundError(AtsError):
    """No such task or project; `nearest` holds the closest titles, best first."""

    def __init__(self, message: str, *, hint: str | None = None, nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.nearest = nearest


class AllBranchesFailedError(AtsError):
    """Every branch failed or was late, so there is no answer, not even an empty one."""

    exit_code = 4

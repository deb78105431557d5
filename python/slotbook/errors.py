"""The errors of this package."""

from typing import Any


class SlotbookError(Exception):
    """An error with a code that is never renamed: the service's own, or one of this package.

    Codes of this package: `INVALID_OPTION` and `INVALID_AMOUNT` (the caller's), `UNREACHABLE` and `TIMEOUT` (no answer),
    `HTTP_STATUS` (an error status without a code), `MALFORMED_ANSWER` (an answer against docs/api.md), `CLOSED`.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        #: The status of the HTTP response; None without a response.
        self.status = status
        #: The wait before the next attempt that the service asks for, seconds; None for none.
        self.retry_after_s = retry_after_s
        #: The invalid parameter; None for none.
        self.param = param


class ProtocolViolation(Exception):
    """A frame that breaks a rule of docs/streaming-rules.md: its book is not shown until it is repaired."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(f"{rule}: {message}")
        #: The name of the rule in docs/streaming-rules.md.
        self.rule = rule

    @property
    def is_resumable(self) -> bool:
        """Whether the book is still that of the frame before, so that the missed frames repair it."""
        return self.rule in ("gap", "repeated", "silence")


def error_of(message: dict[str, Any], **details: Any) -> SlotbookError:
    """Returns the error that a message or a body of the service describes."""
    code, text, param = (message.get(name) for name in ("code", "message", "param"))
    known = {"param": param if isinstance(param, str) else None, **details}
    return SlotbookError(str(code or "MALFORMED_ANSWER"), str(text)[:200], **known)

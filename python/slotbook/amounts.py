"""Amounts: exact integers of a unit, and decimals for people. Nothing here is a float."""

from decimal import Decimal, InvalidOperation

from .errors import SlotbookError

#: Decimal places of prices and of quote amounts: 85016800 is 85.0168.
PRICE_PLACES = 6
#: Decimal places of base amounts: 150000000 is 0.15.
BASE_PLACES = 9


def to_decimal(raw: int, places: int) -> Decimal:
    """Returns an amount of 10 ** -places as a Decimal, exactly."""
    return Decimal(raw).scaleb(-places) if -(10**27) < raw < 10**27 else Decimal(f"{raw}E-{places}")


def to_raw(value: Decimal | int | str, places: int) -> int:
    """Returns a decimal as an integer of 10 ** -places. Raises INVALID_AMOUNT where it has more places, or is no number."""
    try:
        whole, _, fraction = format(Decimal(value), "f").partition(".")
        fraction = fraction.rstrip("0")
        if len(fraction) <= places:
            return int(whole + fraction.ljust(places, "0"))
    except (InvalidOperation, ValueError, TypeError):
        pass
    raise SlotbookError("INVALID_AMOUNT", f"{str(value)[:50]!r}, must be a number of at most {places} decimal places")


def as_price(raw: int) -> Decimal:
    """Returns a price, or a quote amount, in the quote currency: 85016800 is 85.016800."""
    return to_decimal(raw, PRICE_PLACES)


def as_base(raw: int) -> Decimal:
    """Returns a size in the base currency: 150000000 is 0.150000000."""
    return to_decimal(raw, BASE_PLACES)


def raw_price(value: Decimal | int | str) -> int:
    """Returns a price, or a quote amount, as an integer of 1e-6: "85.0168" is 85016800. Raises INVALID_AMOUNT."""
    return to_raw(value, PRICE_PLACES)


def raw_base(value: Decimal | int | str) -> int:
    """Returns a size as an integer of 1e-9: "0.15" is 150000000. Raises INVALID_AMOUNT."""
    return to_raw(value, BASE_PLACES)

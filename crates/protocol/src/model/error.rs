//! The error of this crate: invalid bytes or text.

use core::fmt;
use core::str::FromStr;

use crate::model::units::Pubkey;

/// Why bytes or text are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolError {
    /// The account belongs to a program that does not write this kind of account.
    WrongOwner {
        /// The owner found.
        owner: Pubkey,
    },
    /// The discriminator is not that of this kind of account.
    WrongDiscriminator {
        /// The eight bytes found.
        discriminator: [u8; 8],
    },
    /// The length of the account is not that of its kind.
    WrongLength {
        /// Bytes that the kind has; for kinds of variable length, the minimum.
        expected: usize,
        /// Bytes found.
        actual: usize,
    },
    /// An unknown value in the byte of an enum or boolean.
    InvalidEnum {
        /// The field, under the program's name.
        field: &'static str,
        /// The byte found.
        value: u8,
    },
    /// A record lacks a field that the program always writes for its kind.
    MissingField {
        /// The field, under the program's name.
        field: &'static str,
    },
    /// The bytes of a text are not UTF-8.
    MalformedText {
        /// The field, under the program's name.
        field: &'static str,
    },
    /// A number is outside the range in which its rule is defined.
    OutOfRange {
        /// The field, under the program's name.
        field: &'static str,
    },
    /// The oracle source has no account to read.
    NoOracleAccount,
    /// The text is not the base58 encoding of 32 bytes.
    MalformedPubkey,
    /// The book leaves the account out, because it could not be decoded.
    LeftOut,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongOwner { owner } => write!(out, "owner was {owner}, not the kind's program"),
            Self::WrongDiscriminator { discriminator } => {
                write!(out, "discriminator was {discriminator:02x?}, not the kind's")
            }
            Self::WrongLength { expected, actual } => {
                write!(out, "length was {actual} bytes, must be {expected}")
            }
            Self::InvalidEnum { field, value } => {
                write!(out, "{field} was {value}, which stands for nothing")
            }
            Self::MissingField { field } => write!(out, "{field} was missing"),
            Self::MalformedText { field } => write!(out, "{field} was not UTF-8"),
            Self::OutOfRange { field } => write!(out, "{field} was out of range"),
            Self::NoOracleAccount => write!(out, "oracle source has no account"),
            Self::MalformedPubkey => write!(out, "public key was not 32 bytes in base58"),
            Self::LeftOut => write!(out, "the book leaves it out, as it could not be decoded"),
        }
    }
}

impl core::error::Error for ProtocolError {}

impl FromStr for Pubkey {
    type Err = ProtocolError;

    fn from_str(text: &str) -> Result<Self, ProtocolError> {
        let mut key = [0; 32];
        five8::decode_32(text, &mut key).map_err(|_| ProtocolError::MalformedPubkey)?;
        Ok(Self(key))
    }
}

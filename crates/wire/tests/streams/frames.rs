//! The frames letter by letter.

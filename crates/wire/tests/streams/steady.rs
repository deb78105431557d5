//! What is not allowed to cost anything.

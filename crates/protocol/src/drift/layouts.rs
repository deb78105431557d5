//! The tables that the build generates from layouts/drift.txt: that file is the only place that
//! contains the offsets.

use crate::layout::FieldType::{
    Bool, Enum, I8, I16, I32, I64, I128, Key, Struct, U8, U16, U32, U64, U128,
};
use crate::layout::{Layout, list, many, one};
use crate::model::account::AccountKind;
use crate::model::event::field::{EventField, EventFieldType, EventLayout};

include!(concat!(env!("OUT_DIR"), "/drift.rs"));

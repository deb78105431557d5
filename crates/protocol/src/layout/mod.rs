//! The types of layout tables, and the lookup of a field's offset at compile time.

/// The type of one element of a field.
#[derive(Clone, Copy, Debug)]
pub enum FieldType {
    /// Unsigned, 1 byte.
    U8,
    /// Signed, 1 byte.
    I8,
    /// Unsigned, 2 bytes.
    U16,
    /// Signed, 2 bytes.
    I16,
    /// Unsigned, 4 bytes.
    U32,
    /// Signed, 4 bytes.
    I32,
    /// Unsigned, 8 bytes.
    U64,
    /// Signed, 8 bytes.
    I64,
    /// Unsigned, 16 bytes.
    U128,
    /// Signed, 16 bytes.
    I128,
    /// A truth value: 0 or 1.
    Bool,
    /// An address of 32 bytes.
    Key,
    /// A byte whose values have these names, in order from 0.
    Enum(&'static [&'static str]),
    /// A struct with its own table.
    Struct(&'static Layout),
}

/// How many elements a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One element, not in an array.
    One,
    /// This many consecutive elements.
    Many(usize),
    /// A length of 4 bytes, and then that number of elements. The offsets of later fields depend on
    /// the length.
    List,
}

/// One field of a struct.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The field's name in interfaces: the name that the program uses, in camelCase.
    pub name: &'static str,
    /// The type of one element.
    pub element: FieldType,
    /// Bytes from the start of the account or struct; for a field after a list, the offset when the
    /// list is empty.
    pub offset: usize,
    /// How many elements there are.
    pub shape: Shape,
}

/// The table of an account or a struct: all of its fields, in order, without gaps.
#[derive(Debug)]
pub struct Layout {
    /// The program's name of the type.
    pub name: &'static str,
    /// Total bytes, including an account's discriminator; lists count as empty.
    pub size: usize,
    /// The fields, in order.
    pub fields: &'static [Field],
}

pub(crate) const fn one(name: &'static str, element: FieldType, offset: usize) -> Field {
    Field { name, element, offset, shape: Shape::One }
}

pub(crate) const fn many(
    name: &'static str,
    element: FieldType,
    offset: usize,
    count: usize,
) -> Field {
    Field { name, element, offset, shape: Shape::Many(count) }
}

pub(crate) const fn list(name: &'static str, element: FieldType, offset: usize) -> Field {
    Field { name, element, offset, shape: Shape::List }
}

impl FieldType {
    /// Returns the bytes of one element: the stride of an array of them.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 | Self::Bool | Self::Enum(_) => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 => 4,
            Self::U64 | Self::I64 => 8,
            Self::U128 | Self::I128 => 16,
            Self::Key => 32,
            Self::Struct(layout) => layout.size,
        }
    }

    /// The type's name in the program.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::U128 => "u128",
            Self::I128 => "i128",
            Self::Bool => "bool",
            Self::Key => "publicKey",
            Self::Enum(_) => "enum",
            Self::Struct(layout) => layout.name,
        }
    }
}

impl Field {
    /// Whether another field has the same name.
    pub(crate) const fn is_named(&self, other: &Self) -> bool {
        same(self.name, other.name)
    }
}

impl Layout {
    /// Returns the bytes of an account with all fields except the padding at its end.
    #[must_use]
    pub const fn covered(&self) -> usize {
        let last = &self.fields[self.fields.len() - 1];
        let is_padding = last.name.len() >= PADDING.len() && has_start(last.name, PADDING);
        if is_padding { last.offset } else { self.size }
    }

    /// Returns whether all padding bytes are zero, in an account or struct of this table and in its
    /// inner structs.
    #[must_use]
    pub fn has_zero_padding(&self, bytes: &[u8]) -> bool {
        self.fields.iter().all(|field| {
            let count = match field.shape {
                Shape::One => 1,
                Shape::Many(count) => count,
                Shape::List => 0,
            };
            let size = field.element.size();
            let inside = bytes.get(field.offset..).unwrap_or_default();
            inside.chunks_exact(size).take(count).all(|element| match field.element {
                FieldType::Struct(inner) => inner.has_zero_padding(element),
                _ => !field.name.starts_with(PADDING) || element.iter().all(|byte| *byte == 0),
            })
        })
    }

    /// Returns the offset of the field at a dotted path, and checks the field's type. For an array,
    /// this is the offset of the first element.
    ///
    /// # Panics
    /// When the field does not exist or has another type. Call this for constants only, so that the
    /// compiler stops.
    #[must_use]
    pub const fn at(&self, path: &str, type_name: &str) -> usize {
        self.at_from(path.as_bytes(), 0, type_name)
    }

    /// Returns the offset of the only field with a name, in the struct itself or, when the struct
    /// has none, in one of its inner structs: programs have moved fields between structs and kept
    /// their names.
    ///
    /// # Panics
    /// As for [`Layout::at`], and when several structs have the field.
    #[must_use]
    pub const fn leaf(&self, name: &str, type_name: &str) -> usize {
        match self.find(name, type_name) {
            Some(offset) => offset,
            None => panic!("no such field"),
        }
    }

    /// Returns the same offset as [`Layout::leaf`]; `None` when the field does not exist.
    #[must_use]
    pub const fn find(&self, name: &str, type_name: &str) -> Option<usize> {
        let mut index = 0;
        while index < self.fields.len() {
            let field = &self.fields[index];
            if same(field.name, name) {
                assert!(same(field.element.name(), type_name), "field is of another type");
                return Some(field.offset);
            }
            index += 1;
        }
        self.find_inside(name, type_name)
    }

    const fn find_inside(&self, name: &str, type_name: &str) -> Option<usize> {
        let (mut found, mut index) = (None, 0);
        while index < self.fields.len() {
            let field = &self.fields[index];
            if let (FieldType::Struct(inner), Shape::One) = (field.element, field.shape)
                && let Some(offset) = inner.find(name, type_name)
            {
                assert!(found.is_none(), "several structs have the field");
                found = Some(field.offset + offset);
            }
            index += 1;
        }
        found
    }

    /// Returns the table of the structs that a field holds.
    ///
    /// # Panics
    /// When the field does not exist or holds no structs. Call this for constants only, so that the
    /// compiler stops.
    #[must_use]
    pub const fn inner(&self, name: &str) -> &'static Self {
        let mut index = 0;
        while index < self.fields.len() {
            if let (FieldType::Struct(inner), true) =
                (self.fields[index].element, same(self.fields[index].name, name))
            {
                return inner;
            }
            index += 1;
        }
        panic!("no such struct")
    }

    /// Returns whether all accounts of this table have the same length.
    #[must_use]
    pub fn has_fixed_length(&self) -> bool {
        self.fields.iter().all(|field| field.shape != Shape::List)
    }

    const fn at_from(&self, path: &[u8], start: usize, type_name: &str) -> usize {
        let mut index = 0;
        while index < self.fields.len() {
            let field = &self.fields[index];
            let end = start + field.name.len();
            if has_part(path, start, field.name.as_bytes()) {
                if end == path.len() {
                    assert!(same(field.element.name(), type_name), "field is of another type");
                    return field.offset;
                }
                if let FieldType::Struct(inner) = field.element {
                    return field.offset + inner.at_from(path, end + 1, type_name);
                }
            }
            index += 1;
        }
        panic!("no such field")
    }
}

/// Prefix of the names of fields without a meaning.
const PADDING: &str = "padding";

const fn has_start(text: &str, start: &str) -> bool {
    let mut index = 0;
    while index < start.len() {
        if text.as_bytes()[index] != start.as_bytes()[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// Returns whether the part of the path that begins at `start` is `name`.
const fn has_part(path: &[u8], start: usize, name: &[u8]) -> bool {
    let end = start + name.len();
    if end > path.len() || (end < path.len() && path[end] != b'.') {
        return false;
    }
    let mut index = 0;
    while index < name.len() {
        if path[start + index] != name[index] {
            return false;
        }
        index += 1;
    }
    true
}

const fn same(left: &str, right: &str) -> bool {
    left.len() == right.len() && has_part(left.as_bytes(), 0, right.as_bytes())
}

/// Reads a field of a given type at a constant offset.
macro_rules! read {
    (u8, $bytes:expr, $at:expr) => {
        crate::bytes::u8_at($bytes, $at)
    };
    (i8, $bytes:expr, $at:expr) => {
        crate::bytes::i8_at($bytes, $at)
    };
    (u16, $bytes:expr, $at:expr) => {
        crate::bytes::u16_at($bytes, $at)
    };
    (i16, $bytes:expr, $at:expr) => {
        crate::bytes::i16_at($bytes, $at)
    };
    (u32, $bytes:expr, $at:expr) => {
        crate::bytes::u32_at($bytes, $at)
    };
    (i32, $bytes:expr, $at:expr) => {
        crate::bytes::i32_at($bytes, $at)
    };
    (u64, $bytes:expr, $at:expr) => {
        crate::bytes::u64_at($bytes, $at)
    };
    (i64, $bytes:expr, $at:expr) => {
        crate::bytes::i64_at($bytes, $at)
    };
    (u128, $bytes:expr, $at:expr) => {
        crate::bytes::u128_at($bytes, $at)
    };
    (i128, $bytes:expr, $at:expr) => {
        crate::bytes::i128_at($bytes, $at)
    };
    (publicKey, $bytes:expr, $at:expr) => {
        crate::bytes::key_at($bytes, $at)
    };
    (bool, $bytes:expr, $at:expr) => {
        crate::bytes::u8_at($bytes, $at)
    };
    (enum, $bytes:expr, $at:expr) => {
        crate::bytes::u8_at($bytes, $at)
    };
}

/// Reads the only field with a name, see [`Layout::leaf`]. A name that the table lacks, or that has
/// another type in the table, does not compile.
macro_rules! leaf {
    ($table:expr, $bytes:expr, $type:tt $name:literal) => {
        $crate::layout::read!($type, $bytes, const { $table.leaf($name, stringify!($type)) })
    };
    ($table:expr, $bytes:expr, $type:tt $name:literal or $absent:literal) => {
        match const { $table.find($name, stringify!($type)) } {
            Some(at) => $crate::layout::read!($type, $bytes, at),
            None => $absent,
        }
    };
}

/// Defines a struct of integers of an account: name, type, and name in the tables of the programs, with
/// its reader and its bytes. Its file imports `Tables`.
macro_rules! integers {
    ($(#[$doc:meta])* $name:ident of $table:expr => {
        $($(#[$of_field:meta])* $field:ident: $type:tt $leaf:literal;)*
    }) => {
        $(#[$doc])*
        pub struct $name {
            $($(#[$of_field])* pub $field: $type,)*
        }

        impl $name {
            /// Reads the struct from bytes whose length was checked.
            pub(crate) fn read<T: Tables>(bytes: &[u8]) -> Self {
                Self { $($field: $crate::layout::leaf!($table, bytes, $type $leaf),)* }
            }

            /// Appends every field in its own width, little-endian, in the order of the struct.
            pub fn append_bytes(&self, out: &mut Vec<u8>) {
                $(out.extend_from_slice(&self.$field.to_le_bytes());)*
            }
        }
    };
}

/// Defines getters over `self.bytes`, each at the offset that the table gives for its field.
macro_rules! getters {
    ($layout:expr; $(
        $(#[$doc:meta])*
        $name:ident -> $out:ty = $wrap:expr, $type:tt $field:literal;
    )*) => {
        $(
            $(#[$doc])*
            #[must_use = "a getter changes nothing"]
            #[inline]
            pub fn $name(&self) -> $out {
                ($wrap)($crate::layout::leaf!($layout, self.bytes, $type $field))
            }
        )*
    };
}

pub(crate) use {getters, integers, leaf, read};

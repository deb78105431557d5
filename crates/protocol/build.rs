//! Makes the layout tables of the programs, as Rust, of their texts in `layouts/`.

use std::collections::BTreeMap;
use std::env::var;
use std::fmt::Write as _;
use std::fs::{read_to_string, write};
use std::path::Path;

/// An account or a struct: its name, bytes, discriminator, and its fields as name, type and offset.
struct Table<'a> {
    name: &'a str,
    size: &'a str,
    discriminator: Option<&'a str>,
    fields: Vec<[&'a str; 3]>,
}

/// What a text says: its tables, and its enums with their variants.
#[derive(Default)]
struct Program<'a> {
    tables: Vec<Table<'a>>,
    enums: BTreeMap<&'a str, Vec<&'a str>>,
}

fn main() {
    println!("cargo::rerun-if-changed=layouts");
    let out = var("OUT_DIR").expect("cargo names the folder");
    let texts = ["drift", "velocity"].map(|name| {
        let path = Path::new("layouts").join(name).with_extension("txt");
        (name, read_to_string(path).expect("the table is there"))
    });
    for (name, text) in &texts {
        let rust = rust_of(&Program::parse(text));
        write(Path::new(&out).join(name).with_extension("rs"), rust).expect("the folder is ours");
    }
    let kinds = kinds_of(&Program::parse(&texts[0].1));
    write(Path::new(&out).join("kinds.rs"), kinds).expect("the folder is ours");
}

impl<'a> Program<'a> {
    fn parse(text: &'a str) -> Self {
        let mut program = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match (line.starts_with(' '), &words[..]) {
                (_, []) => {}
                (true, [name, of, offset]) => {
                    let table = program.tables.last_mut().expect("a field is of a table");
                    table.fields.push([name, of, offset]);
                }
                (false, [name, "=", variants @ ..]) => {
                    program.enums.insert(name, variants.to_vec());
                }
                (false, [name, size, rest @ ..]) => program.tables.push(Table {
                    name,
                    size,
                    discriminator: rest.first().copied(),
                    fields: Vec::new(),
                }),
                _ => panic!("{line} is no line of a table"),
            }
        }
        program
    }

    /// The type of an element, as `FieldType` has it.
    fn element(&self, of: &str) -> String {
        match of {
            "publicKey" => "Key".to_owned(),
            "bool" => "Bool".to_owned(),
            of if self.enums.contains_key(of) => format!("Enum(&{:?})", self.enums[of]),
            of if self.tables.iter().any(|table| table.name == of) => {
                format!("Struct(&{})", constant(of))
            }
            of => of.to_uppercase(),
        }
    }

    fn field(&self, [name, of, offset]: &[&str; 3]) -> String {
        let array = of.strip_prefix('[').and_then(|of| of.strip_suffix(']')?.split_once(';'));
        let list = of.strip_prefix("Vec<").and_then(|of| of.strip_suffix('>'));
        match (array, list) {
            (Some((of, count)), _) => {
                format!("many({name:?}, {}, {offset}, {count}),", self.element(of))
            }
            (None, Some(of)) => format!("list({name:?}, {}, {offset}),", self.element(of)),
            (None, None) => format!("one({name:?}, {}, {offset}),", self.element(of)),
        }
    }
}

/// The tables as constants, and the table of each kind of account.
fn rust_of(program: &Program<'_>) -> String {
    let mut rust = String::new();
    let mut kinds = String::new();
    for Table { name, size, discriminator, fields } in &program.tables {
        let fields: String = fields.iter().map(|field| program.field(field)).collect();
        let table = format!("Layout {{ name: {name:?}, size: {size}, fields: &[{fields}] }}");
        let constant = constant(name);
        writeln!(rust, "/// `{name}`.\npub const {constant}: Layout = {table};")
            .expect("a text grows");
        if discriminator.is_some() {
            kinds += &format!("AccountKind::{name} => Some(&{constant}), ");
        }
    }
    let of_kind = "pub(crate) const fn layout(kind: AccountKind) -> Option<&'static Layout>";
    let allowed = "#[allow(unreachable_patterns)]";
    rust + &format!("{allowed}\n{of_kind} {{ match kind {{ {kinds} _ => None }} }}\n")
}

/// The kinds of account with their discriminators.
fn kinds_of(program: &Program<'_>) -> String {
    let kinds = program.tables.iter().filter_map(|table| Some((table.name, table.discriminator?)));
    let lines: String = kinds.map(|(name, bytes)| format!("{name} = 0x{bytes};\n")).collect();
    format!("account_kinds! {{\n{lines}}}\n")
}

/// `SPOT_POSITION` for `SpotPosition`.
fn constant(name: &str) -> String {
    let is_start = |place: usize, letter: char| {
        let before = name[..place].chars().next_back();
        letter.is_ascii_uppercase() && before.is_some_and(|before| before.is_ascii_lowercase())
    };
    let parts = name.char_indices().map(|(place, letter)| {
        let gap = if is_start(place, letter) { "_" } else { "" };
        format!("{gap}{}", letter.to_ascii_uppercase())
    });
    parts.collect()
}

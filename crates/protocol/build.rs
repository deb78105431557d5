//! Generates the layout tables of the programs, as Rust source, from the text files in `layouts/`.

use std::collections::BTreeMap;
use std::env::var;
use std::fs::{read_to_string, write};
use std::path::Path;

/// An account, a struct, an event, or a group of event fields: its name, its size in bytes or
/// `event` or `group`, its discriminator, and its fields as name, type and offset. Fields of events
/// and groups have no offset.
struct Table<'a> {
    name: &'a str,
    size: &'a str,
    discriminator: Option<&'a str>,
    fields: Vec<[&'a str; 3]>,
}

/// The contents of one layout file: its tables, and its enums with their variants.
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
                (true, [name, of, offset @ ..]) => {
                    let table = program.tables.last_mut().expect("a field is of a table");
                    table.fields.push([name, of, offset.first().unwrap_or(&"")]);
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

    /// Returns the Rust expression of the `FieldType` of an element.
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

    /// Returns the Rust expression of a field of an event or a group.
    fn item(&self, [name, of, _]: &[&str; 3]) -> String {
        let inside = |start, end: char| of.strip_prefix(start)?.strip_suffix(end);
        let is_group = |table: &Table<'_>| table.name == *of && table.size == "group";
        let field_type = if let Some(of) = inside("Option<", '>') {
            format!("Option({})", self.element(of))
        } else if let Some(of) = inside("Vec<", '>') {
            format!("List({})", self.element(of))
        } else if let Some((of, count)) = inside("[", ']').and_then(|of| of.split_once(';')) {
            format!("Many({}, {count})", self.element(of))
        } else if self.tables.iter().any(is_group) {
            format!("Group({})", constant(of))
        } else if *of == "string" {
            "Text".to_owned()
        } else {
            format!("One({})", self.element(of))
        };
        format!("EventField {{ name: {name:?}, field_type: EventFieldType::{field_type} }},")
    }

    /// Returns a table, an event or a group as a Rust constant.
    fn constant(&self, table: &Table<'_>) -> String {
        let Table { name, size, discriminator, fields } = table;
        let of = |field| if table.is_account() { self.field(field) } else { self.item(field) };
        let fields: String = fields.iter().map(of).collect();
        let (of, value) = match (*size, discriminator) {
            ("group", _) => ("&[EventField]", format!("&[{fields}]")),
            ("event", Some(bytes)) => {
                let bytes = format!("discriminator: u64::to_be_bytes(0x{bytes})");
                (
                    "EventLayout",
                    format!("EventLayout {{ name: {name:?}, {bytes}, fields: &[{fields}] }}"),
                )
            }
            _ => (
                "Layout",
                format!("Layout {{ name: {name:?}, size: {size}, fields: &[{fields}] }}"),
            ),
        };
        format!("/// `{name}`.\npub const {}: {of} = {value};\n", constant(name))
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

/// Generates the tables and groups as constants, the function from a kind of account to its table,
/// and the list of events.
fn rust_of(program: &Program<'_>) -> String {
    let constants: String = program.tables.iter().map(|table| program.constant(table)).collect();
    let accounts = program.tables.iter().filter(|table| table.is_account());
    let kinds: String = accounts
        .filter(|table| table.discriminator.is_some())
        .map(|Table { name, .. }| format!("AccountKind::{name} => Some(&{}), ", constant(name)))
        .collect();
    let events = program.tables.iter().filter(|table| table.size == "event");
    let events: String = events.map(|table| format!("&{}, ", constant(table.name))).collect();
    let of_kind = "pub(crate) const fn layout(kind: AccountKind) -> Option<&'static Layout>";
    let allowed = "#[allow(unreachable_patterns)]";
    let layout = format!("{allowed}\n{of_kind} {{ match kind {{ {kinds} _ => None }} }}\n");
    let events = format!("pub(crate) static EVENTS: &[&EventLayout] = &[{events}];\n");
    constants + &layout + &events
}

impl Table<'_> {
    /// Whether the table describes an account or a struct, not an event or a group.
    fn is_account(&self) -> bool {
        !["event", "group"].contains(&self.size)
    }
}

/// The kinds of account with their discriminators.
fn kinds_of(program: &Program<'_>) -> String {
    let accounts = program.tables.iter().filter(|table| table.is_account());
    let kinds = accounts.filter_map(|table| Some((table.name, table.discriminator?)));
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

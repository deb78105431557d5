//! What TypeScript knows of accounts, generated from the layout tables: the client library's readers, what a feed's
//! scans ask for, and where the simulator writes.
//!
//! The files are what this makes of the tables, byte for byte. After a change of a table they are written anew with
//! `UPDATE_GOLDEN=1 cargo test -p slotbook-protocol --test client_layouts`.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use slotbook_protocol::drift::layouts;
use slotbook_protocol::layout::{Field, FieldType, Layout, Shape};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::AccountKind;
use slotbook_protocol::model::enums::{
    AssetTier, ContractTier, ContractType, Direction, MarginMode, MarketStatus, MarketType,
    OracleSource, OrderStatus, OrderType, SpotBalanceType, TriggerCondition,
};
use slotbook_protocol::model::event::field::{EventFieldType, EventLayout};

/// Appends a line.
macro_rules! put {
    ($out:expr, $($part:tt)*) => {
        writeln!($out, $($part)*).unwrap()
    };
}

const HEAD: &str =
    "// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.\n";

/// The folder of the client library's files.
const CLIENT: &str = "client/accounts/generated";

/// The files, and the structs that each holds. What a struct holds comes before it, or in a file
/// further up.
fn files() -> Vec<(&'static str, Vec<&'static Layout>)> {
    vec![
        ("common", vec![&layouts::HISTORICAL_ORACLE_DATA, &layouts::POOL_BALANCE]),
        (
            "user",
            vec![&layouts::SPOT_POSITION, &layouts::PERP_POSITION, &layouts::ORDER, &layouts::USER],
        ),
        ("user-stats", vec![&layouts::USER_FEES, &layouts::USER_STATS]),
        ("perp-market", vec![&layouts::AMM, &layouts::INSURANCE_CLAIM, &layouts::PERP_MARKET]),
        (
            "spot-market",
            vec![&layouts::HISTORICAL_INDEX_DATA, &layouts::INSURANCE_FUND, &layouts::SPOT_MARKET],
        ),
        (
            "state",
            vec![
                &layouts::FEE_TIER,
                &layouts::ORDER_FILLER_REWARD_STRUCTURE,
                &layouts::FEE_STRUCTURE,
                &layouts::PRICE_DIVERGENCE_GUARD_RAILS,
                &layouts::VALIDITY_GUARD_RAILS,
                &layouts::ORACLE_GUARD_RAILS,
                &layouts::STATE,
            ],
        ),
        ("oracles", vec![&layouts::PYTH_LAZER_ORACLE, &layouts::PRELAUNCH_ORACLE]),
        (
            "signed-msg-user-orders",
            vec![&layouts::SIGNED_MSG_ORDER_ID, &layouts::SIGNED_MSG_USER_ORDERS],
        ),
    ]
}

/// Structs that a scan of accounts reads field by field, without making the whole.
const SCANNED: [&str; 3] = ["SpotPosition", "PerpPosition", "Order"];

/// An enum: its name, the program's names by which the tables know it, and the names in interfaces.
struct NamedEnum {
    name: &'static str,
    variants: &'static [&'static str],
    api_names: Vec<&'static str>,
}

fn enums() -> Vec<NamedEnum> {
    macro_rules! named {
        ($($name:ident),*) => {
            vec![$(NamedEnum {
                name: stringify!($name),
                variants: $name::VARIANT_NAMES,
                api_names: $name::ALL.iter().map(|variant| variant.name()).collect(),
            }),*]
        };
    }
    named![
        OrderStatus,
        OrderType,
        MarketType,
        Direction,
        TriggerCondition,
        SpotBalanceType,
        MarginMode,
        MarketStatus,
        ContractType,
        ContractTier,
        AssetTier,
        OracleSource
    ]
}

fn enum_of(variants: &[&str]) -> NamedEnum {
    enums().into_iter().find(|known| known.variants == variants).unwrap()
}

/// `perpMarketAt` for `PerpMarket`, `ammAt` for `AMM`.
fn reader_name(layout: &Layout) -> String {
    format!("{}At", lower_first(type_name(layout)))
}

fn type_name(layout: &Layout) -> &'static str {
    if layout.name == "AMM" { "Amm" } else { layout.name }
}

fn layout_of(kind: AccountKind) -> &'static Layout {
    Program::Drift.layout(kind).unwrap()
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

/// `SPOT_POSITION` for `SpotPosition`.
fn constant_name(name: &str) -> String {
    let mut text = String::new();
    for (place, letter) in name.char_indices() {
        if letter.is_ascii_uppercase() && place > 0 {
            text.push('_');
        }
        text.push(letter.to_ascii_uppercase());
    }
    text
}

/// Bytes that mean nothing are not read.
fn is_padding(field: &Field) -> bool {
    field.name.starts_with("padding") || field.name.starts_with("reserved")
}

fn read_fields(layout: &'static Layout) -> impl Iterator<Item = &'static Field> {
    layout.fields.iter().filter(|field| !is_padding(field))
}

/// A name is 32 bytes of text, filled up with spaces.
fn is_text(field: &Field) -> bool {
    field.name == "name" && field.shape == Shape::Many(32)
}

fn type_of(field: &Field) -> String {
    if is_text(field) {
        return "string".to_owned();
    }
    let element = match field.element {
        FieldType::U8 if field.shape != Shape::One => return "Uint8Array".to_owned(),
        FieldType::U64 | FieldType::I64 | FieldType::U128 | FieldType::I128 => "bigint".to_owned(),
        FieldType::Bool => "boolean".to_owned(),
        FieldType::Key => "string".to_owned(),
        FieldType::Enum(variants) => enum_of(variants).name.to_owned(),
        FieldType::Struct(layout) => type_name(layout).to_owned(),
        _ => "number".to_owned(),
    };
    if field.shape == Shape::One { element } else { format!("readonly {element}[]") }
}

/// The expressions for the bytes of a struct, in what reads it.
struct Source {
    view: &'static str,
    at: &'static str,
}

/// In a function with parameters of these names.
const GIVEN: Source = Source { view: "view", at: "at" };
/// In a class that keeps them.
const KEPT: Source = Source { view: "this.#view", at: "this.#at" };

impl Source {
    fn place(&self, offset: usize) -> String {
        if offset == 0 { self.at.to_owned() } else { format!("{} + {offset}", self.at) }
    }
}

/// The expression that reads a field of what a class keeps without making a `bigint`.
fn read_as_number(field: &Field) -> String {
    let name = match field.element {
        FieldType::U64 => "u64NumberAt",
        FieldType::I64 => "i64NumberAt",
        FieldType::U128 | FieldType::I128 => unreachable!("Invariant: no scanned struct has any"),
        _ => return read_of(field, &KEPT),
    };
    format!("{name}({}, {})", KEPT.view, KEPT.place(field.offset))
}

/// The expression that reads a field.
fn read_of(field: &Field, source: &Source) -> String {
    let (view, at, name) = (source.view, source.place(field.offset), field.name);
    match (field.element, field.shape) {
        _ if is_text(field) => format!("textAt({view}, {at})"),
        (FieldType::U8, Shape::Many(count)) => format!("bytesAt({view}, {at}, {count})"),
        (FieldType::Struct(layout), Shape::One) => format!("{}({view}, {at})", reader_name(layout)),
        (FieldType::Struct(layout), Shape::Many(count)) => {
            format!("manyAt({view}, {at}, {count}, {}, {})", layout.size, reader_name(layout))
        }
        (FieldType::Struct(layout), Shape::List) => {
            format!("listAt({view}, {at}, {}, {})", layout.size, reader_name(layout))
        }
        (_, Shape::Many(_) | Shape::List) => panic!("{name} has a shape that is not written here"),
        (FieldType::U8, _) => format!("{view}.getUint8({at})"),
        (FieldType::I8, _) => format!("{view}.getInt8({at})"),
        (FieldType::U16, _) => format!("{view}.getUint16({at}, true)"),
        (FieldType::I16, _) => format!("{view}.getInt16({at}, true)"),
        (FieldType::U32, _) => format!("{view}.getUint32({at}, true)"),
        (FieldType::I32, _) => format!("{view}.getInt32({at}, true)"),
        (FieldType::U64, _) => format!("{view}.getBigUint64({at}, true)"),
        (FieldType::I64, _) => format!("{view}.getBigInt64({at}, true)"),
        (FieldType::U128, _) => format!("u128At({view}, {at})"),
        (FieldType::I128, _) => format!("i128At({view}, {at})"),
        (FieldType::Bool, _) => format!("boolAt({view}, {at}, '{name}')"),
        (FieldType::Key, _) => format!("keyAt({view}, {at})"),
        (FieldType::Enum(variants), _) => {
            format!("enumAt({view}, {at}, {}, '{name}')", constant_name(enum_of(variants).name))
        }
    }
}

fn write_struct(layout: &'static Layout, out: &mut String) {
    let name = type_name(layout);
    let what = if AccountKind::ALL.iter().any(|kind| layout_of(*kind).name == layout.name) {
        "account"
    } else {
        "struct"
    };
    put!(out, "\n/** The {what} `{}`; amounts are raw. */", layout.name);
    put!(out, "export interface {name} {{");
    for field in read_fields(layout) {
        put!(out, "  readonly {}: {};", field.name, type_of(field));
    }
    put!(out, "}}\n");
    put!(out, "/** Where the fields of `{}` are, and how many bytes it has. */", layout.name);
    put!(out, "export const {} = {{", constant_name(name));
    put!(out, "  bytes: {},", layout.size);
    for field in read_fields(layout) {
        put!(out, "  {}: {},", field.name, field.offset);
    }
    put!(out, "}} as const;\n");
    put!(out, "/** Reads `{}` at a place, whose bytes are there. */", layout.name);
    put!(out, "export function {}(view: DataView, at: number): {name} {{", reader_name(layout));
    put!(out, "  return {{");
    for field in read_fields(layout) {
        put!(out, "    {}: {},", field.name, read_of(field, &GIVEN));
    }
    put!(out, "  }};\n}}");
    if SCANNED.contains(&layout.name) {
        write_reader(layout, out);
    }
}

/// A class whose getters read one field each, of the struct that it was moved to.
fn write_reader(layout: &'static Layout, out: &mut String) {
    let name = type_name(layout);
    let constructor = "  constructor(view: DataView) {\n    this.#view = view;\n  }\n";
    let move_to = "  moveTo(at: number): this {\n    this.#at = at;\n    return this;\n  }";
    put!(out, "\n/** Reads fields of `{name}` one by one, amounts as numbers. */");
    put!(out, "export class {name}Reader implements AsNumbers<{name}> {{");
    put!(out, "  readonly #view: DataView;\n  #at = 0;\n\n{constructor}");
    put!(out, "  /** Moves to a place, whose bytes are there. */\n{move_to}");
    for field in read_fields(layout) {
        let value = read_as_number(field);
        let of_amount =
            if type_of(field) == "bigint" { "number".to_owned() } else { type_of(field) };
        put!(out, "\n  get {}(): {of_amount} {{\n    return {value};\n  }}", field.name);
    }
    put!(out, "}}");
}

fn write_kind(kind: AccountKind, out: &mut String) {
    let layout = layout_of(kind);
    let discriminator = u64::from_be_bytes(kind.discriminator());
    let (high, low) = (discriminator >> 32, discriminator & 0xffff_ffff);
    put!(out, "\n/** How an account `{}` is told from others. */", layout.name);
    put!(out, "export const {}_KIND = {{", constant_name(layout.name));
    put!(out, "  name: '{}',", layout.name);
    put!(out, "  discriminatorHigh: {high:#010x},");
    put!(out, "  discriminatorLow: {low:#010x},");
    put!(out, "  bytes: {},", layout.size);
    put!(out, "  hasFixedLength: {},", layout.has_fixed_length());
    put!(out, "}} as const;");
}

/// What `reading.ts` exports for readers.
const HELPERS: [&str; 12] = [
    "type AsNumbers",
    "boolAt",
    "bytesAt",
    "enumAt",
    "i128At",
    "i64NumberAt",
    "keyAt",
    "listAt",
    "manyAt",
    "textAt",
    "u128At",
    "u64NumberAt",
];

/// The line that imports those of `names` that a text has.
fn import_line(names: impl IntoIterator<Item = String>, from: &str, text: &str) -> String {
    let is_part = |letter: char| !letter.is_alphanumeric() && letter != '_';
    let words: BTreeSet<&str> = text.split(is_part).collect();
    let used = names.into_iter().filter(|name| words.contains(name.trim_start_matches("type ")));
    let used: Vec<String> = used.collect::<BTreeSet<_>>().into_iter().collect();
    let line = format!("import {{ {} }} from '{from}';\n", used.join(", "));
    if used.is_empty() { String::new() } else { line }
}

fn helpers() -> impl Iterator<Item = String> {
    HELPERS.into_iter().map(str::to_owned)
}

fn enum_names() -> impl Iterator<Item = String> {
    enums().into_iter().flat_map(|one| [constant_name(one.name), format!("type {}", one.name)])
}

fn file_text(file: &str, layouts: &[&'static Layout]) -> String {
    let mut text = String::new();
    for layout in layouts {
        write_struct(layout, &mut text);
        let of_layout = |kind: &&AccountKind| layout_of(**kind).name == layout.name;
        if let Some(kind) = AccountKind::ALL.iter().find(of_layout) {
            write_kind(*kind, &mut text);
        }
    }
    let mut head = HEAD.to_owned() + &import_line(helpers(), "../reading.js", &text);
    head += &import_line(enum_names(), "./enums.js", &text);
    let others = files().into_iter().filter(|(home, _)| *home != file).collect::<BTreeMap<_, _>>();
    for (home, held) in others {
        let names =
            held.iter().flat_map(|one| [reader_name(one), format!("type {}", type_name(one))]);
        head += &import_line(names, &format!("./{home}.js"), &text);
    }
    head + &text
}

fn enums_text() -> String {
    let mut text = HEAD.to_owned();
    for NamedEnum { name, api_names, .. } in enums() {
        let quoted: Vec<String> = api_names.iter().map(|name| format!("'{name}'")).collect();
        put!(text, "\n/** The names of `{name}`. */");
        put!(text, "export type {name} = {};", quoted.join(" | "));
        put!(text, "\n/** The names of `{name}` in the order of their bytes. */");
        put!(
            text,
            "export const {}: readonly {name}[] = [{}];",
            constant_name(name),
            quoted.join(", ")
        );
    }
    text
}

/// The programs by the names that TypeScript has for them.
const PROGRAMS: [(&str, Program); 2] = [("drift", Program::Drift), ("velocity", Program::Velocity)];

/// What a scan of a program's accounts asks for.
fn scans_text() -> String {
    let mut text = HEAD.to_owned();
    put!(
        text,
        "\n/** The accounts that scans find: their first bytes, and how many they have at least and at most. */"
    );
    put!(text, "export const ACCOUNTS = {{");
    let kinds =
        [AccountKind::User, AccountKind::PerpMarket, AccountKind::SpotMarket, AccountKind::State];
    for (program, tables) in PROGRAMS {
        put!(text, "  {program}: {{");
        for kind in kinds {
            let layout = tables.layout(kind).unwrap();
            let (name, discriminator) = (lower_first(layout.name), discriminator_of(kind));
            let bytes = match tables {
                Program::Drift => format!("bytesMin: {0}, bytesMax: {0}", layout.size),
                Program::Velocity => format!("bytesMin: {}, bytesMax: null", layout.covered()),
            };
            put!(text, "    {name}: {{ discriminator: '{discriminator}', {bytes} }},");
        }
        put!(text, "  }},");
    }
    put!(text, "}} as const;");
    push_offsets(("USER_IDLE_OFFSET", AccountKind::User, "idle"), &mut text);
    push_offsets(("SPOT_ORACLE_OFFSET", AccountKind::SpotMarket, "oracle"), &mut text);
    text
}

/// Appends where a field of an account is in each program.
fn push_offsets((name, kind, field): (&str, AccountKind, &str), text: &mut String) {
    let account = Program::Drift.layout(kind).unwrap().name;
    put!(text, "\n/** Where `{account}.{field}` is. */\nexport const {name} = {{");
    for (program, tables) in PROGRAMS {
        let layout = tables.layout(kind).unwrap();
        put!(text, "  {program}: {},", leaf_of(layout, field).unwrap());
    }
    put!(text, "}} as const;");
}

fn discriminator_of(kind: AccountKind) -> String {
    kind.discriminator().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where the simulator writes the fields of accounts, those of structs in them beside their own; `undefined` is a field
/// that only the other program has.
fn simulator_text() -> String {
    let mut text = HEAD.to_owned();
    put!(
        text,
        "\n/** Where each program's accounts have their fields; undefined where only the other program has one. */"
    );
    put!(text, "export const LAYOUTS = {{");
    let all = PROGRAMS.map(|(_, tables)| written_structs(tables));
    for (place, (program, tables)) in PROGRAMS.into_iter().enumerate() {
        put!(text, "  {program}: {{");
        for (own, other) in all[place].iter().zip(&all[1 - place]) {
            put!(text, "    /** Where `{}` has its fields. */", own.name);
            put!(text, "    {}: {{", constant_name(own.name));
            write_numbers(tables, own, &mut text);
            write_types(own, &mut text);
            for (name, Leaf { offset, .. }) in leaves(own) {
                put!(text, "      {name}: {offset},");
            }
            for (name, _) in leaves(other) {
                if leaf_of(own, name).is_none() {
                    put!(text, "      {name}: undefined,");
                }
            }
            put!(text, "    }},");
        }
        put!(text, "  }},");
    }
    put!(text, "}} as const;");
    text
}

/// The enums that the simulator writes, as the bytes of their names.
fn simulator_enums_text() -> String {
    let mut text = HEAD.to_owned();
    let mut write = |name: &str, variants: &[&str]| {
        let bytes: Vec<String> =
            variants.iter().enumerate().map(|(byte, name)| format!("{name}: {byte}")).collect();
        put!(text, "\n/** The bytes of `{name}`. */");
        put!(text, "export const {name} = {{ {} }} as const;", bytes.join(", "));
        put!(text, "/** A value of {{@link {name}}}. */");
        put!(text, "export type {name} = (typeof {name})[keyof typeof {name}];");
    };
    for NamedEnum { name, variants, .. } in enums() {
        write(name, variants);
    }
    let velocity = Program::Velocity.layout(AccountKind::PerpMarket).unwrap();
    let status = velocity.fields.iter().find(|field| field.name == "status").unwrap();
    if let FieldType::Enum(variants) = status.element {
        write("VelocityMarketStatus", variants);
    }
    let action = event_of(Program::Drift, "OrderActionRecord");
    let reason = action.fields.iter().find(|field| field.name == "actionExplanation").unwrap();
    if let EventFieldType::One(FieldType::Enum(variants)) = reason.field_type {
        write("OrderActionExplanation", variants);
    }
    text
}

fn event_of(program: Program, name: &str) -> &'static EventLayout {
    program.events().iter().find(|event| event.name == name).unwrap()
}

/// The events that the simulator logs: the types of their fields in order, with `?` where a byte
/// before a field says whether it is there.
fn simulator_events_text() -> String {
    let mut text = HEAD.to_owned();
    put!(
        text,
        "\n/** The fields of each program's events in order; one with `?` may be absent. */"
    );
    put!(text, "export const EVENTS = {{");
    for (program, tables) in PROGRAMS {
        put!(text, "  {program}: {{");
        for name in ["OrderActionRecord", "FundingRateRecord"] {
            let EventLayout { discriminator, fields, .. } = event_of(tables, name);
            put!(text, "    {}: {{", constant_name(name));
            let bytes = u64::from_be_bytes(*discriminator);
            put!(text, "      discriminator: '{bytes:016x}',\n      fields: {{");
            for field in *fields {
                let (element, optional) = match field.field_type {
                    EventFieldType::One(element) => (element, ""),
                    EventFieldType::Option(element) => (element, "?"),
                    other => panic!("the simulator writes no {other:?}"),
                };
                let of = written_type(element).unwrap();
                put!(text, "        {}: '{of}{optional}',", field.name);
            }
            put!(text, "      }},\n    }},");
        }
        put!(text, "  }},");
    }
    put!(text, "}} as const;");
    text
}

/// The structs that the simulator writes, in the same order for each program.
fn written_structs(tables: Program) -> [&'static Layout; 10] {
    let layout = |kind| tables.layout(kind).unwrap();
    let (user, state) = (layout(AccountKind::User), layout(AccountKind::State));
    let fees = state.inner("perpFeeStructure");
    [
        user,
        user.inner("spotPositions"),
        user.inner("perpPositions"),
        user.inner("orders"),
        layout(AccountKind::PerpMarket),
        layout(AccountKind::SpotMarket),
        state,
        fees,
        fees.inner("feeTiers"),
        layout(AccountKind::PythLazerOracle),
    ]
}

/// The bytes of a struct, those that reach to the end of its last field, the account's first ones, and how many a user has.
fn write_numbers(tables: Program, layout: &'static Layout, out: &mut String) {
    put!(out, "      size: {},\n      covered: {},", layout.size, layout.covered());
    let of_layout =
        |kind: &&AccountKind| tables.layout(**kind).is_some_and(|one| one.name == layout.name);
    if let Some(kind) = AccountKind::ALL.iter().find(of_layout) {
        put!(out, "      discriminator: '{}',", discriminator_of(*kind));
    }
    for field in tables.layout(AccountKind::User).unwrap().fields {
        if let (FieldType::Struct(inner), Shape::Many(count)) = (field.element, field.shape)
            && inner.name == layout.name
        {
            put!(out, "      count: {count},");
        }
    }
}

/// The types of the fields that the simulator can write.
fn write_types(layout: &'static Layout, out: &mut String) {
    put!(out, "      types: {{");
    for (name, Leaf { field, .. }) in leaves(layout) {
        let of = match written_type(field.element) {
            _ if is_text(field) => "name",
            Some(of) if field.shape == Shape::One => of,
            _ => continue,
        };
        put!(out, "        {name}: '{of}',");
    }
    put!(out, "      }},");
}

/// The simulator's word for the type of an element that it can write.
fn written_type(element: FieldType) -> Option<&'static str> {
    Some(match element {
        FieldType::U8 | FieldType::Bool | FieldType::Enum(_) => "u8",
        FieldType::I8 => "i8",
        FieldType::U16 => "u16",
        FieldType::U32 => "u32",
        FieldType::I32 => "i32",
        FieldType::U64 => "u64",
        FieldType::I64 => "i64",
        FieldType::U128 => "u128",
        FieldType::I128 => "i128",
        FieldType::Key => "key",
        FieldType::I16 | FieldType::Struct(_) => return None,
    })
}

fn leaf_of(layout: &'static Layout, name: &str) -> Option<usize> {
    leaves(layout).into_iter().find(|(leaf, _)| *leaf == name).map(|(_, leaf)| leaf.offset)
}

/// A field, and its place in a struct that may hold it in another one.
#[derive(Clone, Copy)]
struct Leaf {
    field: &'static Field,
    offset: usize,
}

/// The fields of a struct, and those of the structs in it that no other has a field of the name of.
fn leaves(layout: &'static Layout) -> Vec<(&'static str, Leaf)> {
    let leaf = |field: &'static Field| (field.name, Leaf { field, offset: field.offset });
    let own: Vec<_> = read_fields(layout).map(leaf).collect();
    let mut inner = Vec::new();
    for field in layout.fields {
        if let (FieldType::Struct(held), Shape::One) = (field.element, field.shape) {
            inner.extend(
                leaves(held).into_iter().map(|(name, leaf)| {
                    (name, Leaf { offset: field.offset + leaf.offset, ..leaf })
                }),
            );
        }
    }
    let count = |name| own.iter().chain(&inner).filter(|(other, _)| *other == name).count();
    let alone = inner.iter().copied().filter(|(name, _)| count(*name) == 1);
    let mut all: Vec<_> = own.iter().copied().chain(alone).collect();
    all.sort_by_key(|(_, leaf)| leaf.offset);
    all
}

/// The fields of Velocity's accounts that books of the client library need.
const VELOCITY_FIELDS: [(&str, &[&str]); 4] = [
    (
        "User",
        &[
            "authority",
            "subAccountId",
            "status",
            "idle",
            "hasOpenAuction",
            "perpPositions",
            "orders",
        ],
    ),
    ("PerpPosition", &["baseAssetAmount", "marketIndex", "openOrders"]),
    (
        "PerpMarket",
        &[
            "oracle",
            "name",
            "orderStepSize",
            "orderTickSize",
            "expiryTs",
            "marketIndex",
            "status",
            "contractTier",
            "pausedOperations",
            "oracleSource",
            "mmOraclePrice",
            "mmOracleSlot",
            "mmOracleSequenceId",
            "lastOraclePriceTwap",
        ],
    ),
    (
        "State",
        &[
            "exchangeStatus",
            "slotsBeforeStaleForMargin",
            "confidenceIntervalMaxSize",
            "tooVolatileRatio",
            "slotDurationMs",
            "pendingSlotDurationMs",
            "slotDurationEffectiveSlot",
            "slotDurationTransitionSlots",
        ],
    ),
];

/// What the client library reads of accounts of Velocity, for a local book.
fn velocity_text() -> String {
    let structs = written_structs(Program::Velocity);
    let order = structs.iter().find(|one| one.name == "Order").unwrap();
    let mut text = String::new();
    for (name, fields) in VELOCITY_FIELDS {
        let layout = structs.iter().find(|one| one.name == name).unwrap();
        put!(
            text,
            "\n/** Where Velocity's `{name}` has its fields, and the bytes that reach to the last one. */"
        );
        put!(text, "export const VELOCITY_{} = {{", constant_name(name));
        put!(text, "  bytes: {},", layout.covered());
        for field in fields {
            put!(text, "  {field}: {},", leaf_of(layout, field).unwrap());
        }
        put!(text, "}} as const;");
    }
    put!(text, "\n/** Bytes of an order. */\nexport const VELOCITY_ORDER_BYTES = {};", order.size);
    put!(text, "\n/** Reads `Order` of Velocity at a place, whose bytes are there. */");
    put!(text, "export function velocityOrderAt(view: DataView, at: number): Order {{");
    put!(text, "  return {{");
    for field in read_fields(order) {
        let value = if field.name == "oraclePriceOffset" {
            format!("i64NumberAt(view, at + {})", field.offset)
        } else {
            read_of(field, &GIVEN)
        };
        put!(text, "    {}: {value},", field.name);
    }
    put!(text, "  }};\n}}");
    let mut head = HEAD.to_owned() + &import_line(helpers(), "../../accounts/reading.js", &text);
    head += &import_line(enum_names(), "../../accounts/generated/enums.js", &text);
    head += "import type { Order } from '../../accounts/generated/user.js';\n";
    head + &text
}

/// Checks a file against what it should hold, or writes it anew.
fn check(path: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../src").join(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{} is not what the tables say", path.display());
}

#[test]
fn feed_and_simulator_know_accounts_as_the_tables_say() {
    check("feed/model/generated/accounts.ts", &scans_text());
    check("sim/bytes/generated/layout.ts", &simulator_text());
    check("sim/bytes/generated/enums.ts", &simulator_enums_text());
    check("sim/bytes/generated/events.ts", &simulator_events_text());
    check("client/chain/generated/velocity.ts", &velocity_text());
}

#[test]
fn the_client_reads_accounts_where_the_tables_say() {
    let mut wanted = vec![("enums", enums_text())];
    wanted.extend(files().iter().map(|(file, layouts)| (*file, file_text(file, layouts))));
    for (file, text) in &wanted {
        check(&format!("{CLIENT}/{file}.ts"), text);
    }
    let known: BTreeSet<String> = wanted.iter().map(|(file, _)| format!("{file}.ts")).collect();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../src").join(CLIENT);
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(&name), "{name} is generated by nobody");
    }
}

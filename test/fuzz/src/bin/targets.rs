//! Prints the targets, and how long their inputs may be, for `scripts/fuzz.mjs`.

fn main() {
    for target in slotbook_fuzz::TARGETS {
        println!("{} {}", target.name, target.input_bytes_max);
    }
}

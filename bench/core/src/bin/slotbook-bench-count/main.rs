//! Hot operations, each run between the entry and the exit of one function, for callgrind: it counts the
//! instructions of that function alone. Each line of the output is an operation and how often it is repeated, in the
//! order of the dumps. `bench/harness/count.mjs` runs it and compares with the committed table.

mod operations;

use std::hint::black_box;

fn main() {
    for (name, prepare) in operations::OPERATIONS {
        let mut operation = prepare();
        println!("{name} {}", operation.repeats);
        counted(&mut *operation.run);
    }
}

/// The counted function, which Callgrind is given by name.
#[inline(never)]
fn counted(run: &mut dyn FnMut()) {
    black_box(run)();
}

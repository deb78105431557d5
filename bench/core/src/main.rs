//! Returns benchmark commands, one a line, until standard input ends.

use std::io::{BufRead, Write};

use slotbook_bench::commands::Commands;
use slotbook_bench::error::BenchError;

fn main() -> Result<(), BenchError> {
    let mut commands = Commands::default();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = commands.run(&line.map_err(BenchError::Io)?)?;
        writeln!(out, "{answer}").and_then(|()| out.flush()).map_err(BenchError::Io)?;
    }
    Ok(())
}

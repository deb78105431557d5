//! `golden DIR`: runs every vector file of DIR and prints what passed, failed and departed.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code for a wrong command line or an unreadable folder.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(folder), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: golden DIR");
        return ExitCode::from(EXIT_USAGE);
    };
    // A case that fails panics, and is printed with the others.
    std::panic::set_hook(Box::new(|_| ()));
    let report = slotbook_golden::run(&folder);
    match report {
        Ok(report) if report.files.is_empty() => {
            eprintln!("{}: no vector file", folder.display());
            ExitCode::FAILURE
        }
        Ok(report) => {
            print!("{report}");
            if report.totals().failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::from(EXIT_USAGE)
        }
    }
}

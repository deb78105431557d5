//! `golden DIR [BOOKS]`: runs every vector file of DIR and prints what passed, failed and departed.
//! Where a recorded book departs, ours is written to the file BOOKS, for judges in other languages.
#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code for a wrong command line or an unreadable folder.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(folder), books, None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("usage: golden DIR [BOOKS]");
        return ExitCode::from(EXIT_USAGE);
    };
    let report = slotbook_golden::run(&folder);
    if let (Ok(report), Some(path)) = (&report, books)
        && let Err(error) = fs::write(&path, format!("{:#}\n", report.departed_books()))
    {
        eprintln!("{}: {error}", path.display());
        return ExitCode::from(EXIT_USAGE);
    }
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

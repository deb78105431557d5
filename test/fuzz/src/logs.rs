//! Logs of transactions: whose event a line is, however the lines are cut and forged.

use base64_simd::STANDARD;
use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::event::logs::{LogScanner, LogSummary};

use crate::input::Input;

/// Programs that a line may name; the first is the one whose events are sought.
const PROGRAMS: u8 = 3;

/// Programs within each other, as the runtime has them at most.
const DEPTH_MAX: usize = 9;

/// An event as the scanner handed it over: its index, line and bytes.
type Found = (u32, usize, Vec<u8>);

/// The first byte is odd for logs that the runtime could have written, whose events are known, and
/// even for any lines.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    if input.byte() % 2 == 1 {
        check_honest(input);
    } else {
        check_any(input);
    }
}

fn program(number: u8) -> String {
    match number % PROGRAMS {
        0 => PROGRAM_ID.to_string(),
        1 => "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4".to_owned(),
        _ => "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA".to_owned(),
    }
}

fn scan(scanner: &mut LogScanner, lines: &[String]) -> (LogSummary, Vec<Found>) {
    let mut found = Vec::new();
    let summary = scanner.scan(lines, |event| {
        found.push((event.index, event.line, event.data.to_vec()));
        assert!(event.data.starts_with(&event.layout.discriminator), "an event is of its kind");
        Ok(())
    });
    (summary, found)
}

/// The scan, with what holds of every one of them.
fn checked_scan(lines: &[String]) -> (LogSummary, Vec<Found>) {
    let mut scanner = LogScanner::new(&PROGRAM_ID);
    let (summary, found) = scan(&mut scanner, lines);
    assert_eq!(scan(&mut scanner, lines), (summary, found.clone()), "a scanner keeps nothing");
    assert_eq!(summary.events as usize, found.len() + summary.unreadable as usize);
    assert!(found.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "events come in order");
    for (_, line, data) in &found {
        assert!(lines[*line].ends_with(&STANDARD.encode_to_string(data)), "a line holds its event");
    }
    (summary, found)
}

fn event_line(input: &mut Input<'_>) -> (String, Vec<u8>) {
    let events = Program::Drift.events();
    let layout = events[usize::from(input.byte()) % events.len()];
    let length = input.byte().into();
    let data = [&layout.discriminator, input.take_slice(length)].concat();
    (format!("Program data: {}", STANDARD.encode_to_string(&data)), data)
}

/// Every line is an operation: a program begins, ends or fails, an event, a text, or the cut.
fn check_any(mut input: Input<'_>) {
    let mut lines = Vec::new();
    while !input.is_over() {
        lines.push(match input.byte() % 8 {
            0 => format!("Program {} invoke [{}]", program(input.byte()), input.byte()),
            1 => format!("Program {} success", program(input.byte())),
            2 => format!("Program {} failed: {}", program(input.byte()), input.byte()),
            3 => event_line(&mut input).0,
            4 => event_line(&mut input).0.replace("data", "log"),
            5 => "Log truncated".to_owned(),
            kind => {
                let length = input.byte().into();
                let text = String::from_utf8_lossy(input.take_slice(length)).into_owned();
                if kind == 6 { text } else { format!("Program data: {text}") }
            }
        });
    }
    let (summary, _) = checked_scan(&lines);
    let is_cut = lines.iter().any(|line| line == "Log truncated");
    assert_eq!(summary.is_truncated, is_cut, "a cut is told");
}

/// Logs from the first invocation on: exactly the events of the program itself are found.
fn check_honest(mut input: Input<'_>) {
    let mut lines = Vec::new();
    let mut stack: Vec<u8> = Vec::new();
    let mut expected = Vec::new();
    while !input.is_over() {
        let kind = if stack.is_empty() { 0 } else { input.byte() % 4 };
        match kind {
            0 if stack.len() < DEPTH_MAX => {
                stack.push(input.byte() % PROGRAMS);
                let (name, depth) = (program(stack[stack.len() - 1]), stack.len());
                lines.push(format!("Program {name} invoke [{depth}]"));
            }
            1 => {
                let ended = stack.pop().unwrap_or(0);
                lines.push(format!("Program {} success", program(ended)));
            }
            2 => {
                let (line, data) = event_line(&mut input);
                if stack.last() == Some(&0) {
                    let index = u32::try_from(expected.len()).unwrap();
                    expected.push((index, lines.len(), data));
                }
                lines.push(line);
            }
            _ => lines.push("Program log: Instruction: PlacePerpOrder".to_owned()),
        }
    }
    let (summary, found) = checked_scan(&lines);
    assert_eq!((summary.unreadable, summary.is_truncated), (0, false));
    assert!(found == expected, "the program's own events, all of them and no others");
}

//! Finds the events of a program in the logs of a transaction.

use base64_simd::{AsOut, STANDARD, STANDARD_NO_PAD};

use super::field::{DISCRIMINATOR_BYTES, EventLayout};
use crate::model::Program;
use crate::model::error::ProtocolError;
use crate::model::units::Pubkey;

/// Maximum characters of an event's base64 text. The runtime truncates a transaction's logs at
/// 10,000 bytes, so a longer line is not a log.
const EVENT_TEXT_BYTES_MAX: usize = 16 << 10;

/// Maximum nesting of program calls. The runtime allows fewer than ten; a line with a larger depth
/// is not from the runtime.
const DEPTH_MAX: usize = 64;

/// Maximum number of events between the two forms of one event: a program that logs events in both
/// forms writes one form directly after the other.
const EVENTS_BETWEEN_FORMS_MAX: usize = 64;

/// Number of base64 characters that are decoded first to decide whether to decode the whole line,
/// and the number of bytes they encode.
const PROBE_CHARS: usize = 8;
const PROBE_BYTES: usize = 6;

/// The line that the runtime writes when it truncates the logs.
const TRUNCATED: &str = "Log truncated";

/// One event of the program.
#[derive(Clone, Copy, Debug)]
pub struct LoggedEvent<'a> {
    /// Position among the program's events of the transaction, from 0.
    pub index: u32,
    /// Position of the event's line in the logs, from 0.
    pub line: usize,
    /// The event's kind.
    pub layout: &'static EventLayout,
    /// Its bytes, discriminator first.
    pub data: &'a [u8],
}

/// The counts that a scan of a transaction's logs returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogSummary {
    /// Number of events of the program, including unreadable events.
    pub events: u32,
    /// Number of events that are not base64, or that the caller could not read.
    pub unreadable: u32,
    /// Whether the runtime truncated the logs, so that later events may be missing.
    pub is_truncated: bool,
}

/// Finds the events of one program, and reuses its memory from transaction to transaction.
#[derive(Debug)]
pub struct LogScanner {
    program: String,
    events: &'static [&'static EventLayout],
    data: Vec<u8>,
    /// Lines of the events that were logged in one form and not yet in the other form.
    single: Vec<usize>,
}

impl LogScanner {
    /// A scanner for the events of the program at an address, which is of its own rules, see [`Program::of`].
    #[must_use]
    pub fn new(program: &Pubkey) -> Self {
        Self::of(Program::of(program), program)
    }

    /// A scanner for the events that the program at an address logs by these rules.
    #[must_use]
    pub fn of(rules: Program, program: &Pubkey) -> Self {
        let program = program.to_string();
        Self { program, events: rules.events(), data: Vec::new(), single: Vec::new() }
    }

    /// Passes every event of the program to `read`, in order, and counts the events that `read`
    /// rejects. The lines belong to one successful transaction; each line is one entry of the
    /// node's list, including its line breaks. An event that is logged in both forms counts as one
    /// event.
    ///
    /// Logs may be truncated. Lines before the first line that names a program belong to the first
    /// program that ends after them, or to the given program when no program ends. A program cannot
    /// forge this, because the runtime names each program before the program's first line.
    pub fn scan<L: AsRef<str>>(
        &mut self,
        lines: &[L],
        mut read: impl FnMut(LoggedEvent<'_>) -> Result<(), ProtocolError>,
    ) -> LogSummary {
        let mut summary = LogSummary::default();
        let mut stack = Stack::new();
        self.single.clear();
        for (place, line) in lines.iter().enumerate() {
            match Line::of(line.as_ref()) {
                Line::Invoke { program, depth } => stack.invoke(program, depth),
                Line::End { program } => stack.end(program),
                Line::Truncated => {
                    summary.is_truncated = true;
                    break;
                }
                Line::Output { text, .. } => {
                    let Some(layout) = probe(self.events, text) else { continue };
                    let later = &lines[place..];
                    let find = |depth| ends_first(later, depth).unwrap_or(&self.program);
                    if stack.writer(find) != Some(&self.program) {
                        continue;
                    }
                    if is_again(lines, &mut self.single, place) {
                        continue;
                    }
                    let index = summary.events;
                    let is_read = match decode(text, layout, &mut self.data) {
                        Decoded::Event(data) => {
                            read(LoggedEvent { index, line: place, layout, data }).is_ok()
                        }
                        Decoded::Broken => false,
                        Decoded::Other => continue,
                    };
                    summary.events += 1;
                    summary.unreadable += u32::from(!is_read);
                }
                Line::Other => {}
            }
        }
        summary
    }
}

/// How a program wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Log,
    Data,
}

/// One line of a log, by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    /// A program is invoked, at a depth from 1.
    Invoke { program: &'a str, depth: usize },
    /// A program ends, well or not.
    End { program: &'a str },
    /// A line that the running program wrote: `emit!` writes data, `emit_stack` writes a log.
    Output { text: &'a str, form: Form },
    /// The rest is missing.
    Truncated,
    /// Any other line, for example compute units or return data.
    Other,
}

impl<'a> Line<'a> {
    fn of(line: &'a str) -> Self {
        let Some(rest) = line.strip_prefix("Program ") else {
            return if line == TRUNCATED { Self::Truncated } else { Self::Other };
        };
        for (form, prefix) in [(Form::Log, "log: "), (Form::Data, "data: ")] {
            if let Some(text) = rest.strip_prefix(prefix) {
                return Self::Output { text, form };
            }
        }
        let Some((program, what)) = rest.split_once(' ') else { return Self::Other };
        if what == "success" || what == "failed" || what.starts_with("failed: ") {
            return Self::End { program };
        }
        let depth = what.strip_prefix("invoke [").and_then(|depth| depth.strip_suffix(']'));
        match depth.and_then(|depth| depth.parse().ok()) {
            Some(depth @ 1..=DEPTH_MAX) => Self::Invoke { program, depth },
            _ => Self::Other,
        }
    }
}

/// The running programs, outermost first. `None` is a program that started before the logs did.
struct Stack<'a> {
    frames: [Option<&'a str>; DEPTH_MAX],
    len: usize,
    /// Whether a line has named a program: then `len` is the true depth. Before, the stack holds
    /// one unknown frame, and gets another unknown frame below it whenever a program ends.
    is_placed: bool,
}

impl<'a> Stack<'a> {
    fn new() -> Self {
        Self { frames: [None; DEPTH_MAX], len: 1, is_placed: false }
    }

    /// Pushes a program. The depth in the log line has priority over the tracked depth: a frame
    /// whose end is missing has ended, and a frame whose start is missing is unknown.
    fn invoke(&mut self, program: &'a str, depth: usize) {
        let below = depth - 1;
        if !self.is_placed && below > 0 {
            self.frames[below - 1] = self.frames[0];
            self.frames[..below - 1].fill(None);
        } else if self.len < below {
            self.frames[self.len..below].fill(None);
        }
        self.frames[below] = Some(program);
        self.len = depth;
        self.is_placed = true;
    }

    /// Ends the innermost frame that can belong to the program; frames above it ended without a
    /// line. An end that fits no frame is ignored.
    fn end(&mut self, program: &str) {
        let fits = |frame: &Option<&str>| frame.is_none_or(|name| name == program);
        if let Some(at) = self.frames[..self.len].iter().rposition(fits) {
            self.len = at;
        }
        if !self.is_placed {
            self.frames[0] = None;
            self.len = 1;
        }
    }

    /// Returns the program that writes now; `None` between two instructions. `find` determines the
    /// program of an unknown frame from the following lines, and is called once for each frame.
    fn writer(&mut self, find: impl FnOnce(Option<usize>) -> &'a str) -> Option<&'a str> {
        let depth = self.is_placed.then_some(self.len);
        let top = self.frames.get_mut(self.len.checked_sub(1)?)?;
        Some(top.get_or_insert_with(|| find(depth)))
    }
}

/// Returns the program of an unknown frame, at `depth` if known: the first program that ends after
/// it, except programs of inner frames. `None` when no line names the program.
fn ends_first<L: AsRef<str>>(lines: &[L], depth: Option<usize>) -> Option<&str> {
    let mut depth = depth;
    let mut above = 0_usize;
    for line in lines {
        match Line::of(line.as_ref()) {
            Line::Invoke { depth: begun, .. } => {
                let base = *depth.get_or_insert(begun - 1);
                above = begun.checked_sub(base).filter(|above| *above > 0)?;
            }
            Line::End { program } if above == 0 => return Some(program),
            Line::End { .. } => above -= 1,
            Line::Truncated => return None,
            Line::Output { .. } | Line::Other => {}
        }
    }
    None
}

/// Returns whether the event at `place` was logged before in the other form. If not, remembers the
/// event, because the other form may follow.
fn is_again<L: AsRef<str>>(lines: &[L], single: &mut Vec<usize>, place: usize) -> bool {
    let is_other =
        |at: &usize| match (Line::of(lines[*at].as_ref()), Line::of(lines[place].as_ref())) {
            (Line::Output { text: before, form }, Line::Output { text, form: other }) => {
                form != other && before == text
            }
            _ => false,
        };
    let from = single.len().saturating_sub(EVENTS_BETWEEN_FORMS_MAX);
    match single[from..].iter().position(is_other) {
        Some(found) => {
            single.remove(from + found);
            true
        }
        None => {
            single.push(place);
            false
        }
    }
}

/// Returns the layout of the record whose discriminator starts the text; `None` when the text is
/// not an event.
fn probe(events: &[&'static EventLayout], text: &str) -> Option<&'static EventLayout> {
    let chars = text.as_bytes().get(..PROBE_CHARS)?;
    let mut bytes = [0; PROBE_BYTES];
    let decoded = STANDARD_NO_PAD.decode(chars, bytes.as_mut_slice().as_out()).ok()?;
    events.iter().copied().find(|layout| layout.discriminator.starts_with(decoded))
}

enum Decoded<'a> {
    Event(&'a [u8]),
    /// The line begins like an event, but cannot be decoded.
    Broken,
    /// It is something else.
    Other,
}

/// Decodes the text into the front of `scratch`, whose length never shrinks, so that its bytes are
/// zeroed only once.
fn decode<'a>(text: &str, layout: &EventLayout, scratch: &'a mut Vec<u8>) -> Decoded<'a> {
    if text.len() > EVENT_TEXT_BYTES_MAX {
        return Decoded::Broken;
    }
    let room = STANDARD.estimated_decoded_length(text.len());
    if scratch.len() < room {
        scratch.resize(room, 0);
    }
    match STANDARD.decode(text.as_bytes(), scratch.as_mut_slice().as_out()) {
        Err(_) => Decoded::Broken,
        Ok(data) if data.len() >= DISCRIMINATOR_BYTES && layout.check(data).is_ok() => {
            Decoded::Event(data)
        }
        Ok(_) => Decoded::Other,
    }
}

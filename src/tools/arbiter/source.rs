//! Bytes of a PGN with their line numbers: a window on a stream of any size, whatever is in it. Lines may
//! end in LF, CR LF or CR; only LF is ever seen.

use std::io::{self, Read};

/// Bytes held at a time.
const WINDOW: usize = 1 << 16;

/// A stream seen through a window of fixed size.
pub struct Source<R> {
    input: R,
    window: Vec<u8>,
    /// Next byte of the window, and the end of what was read into it.
    at: usize,
    end: usize,
    line: u64,
    read: Inspector,
    is_line_start: bool,
    /// Whether the last byte that was read was a CR.
    was_cr: bool,
}

impl<R: Read> Source<R> {
    /// # Errors
    /// Of reading, and text in UTF-16, which is no PGN.
    pub fn new(input: R) -> io::Result<Source<R>> {
        let mut source = Source {
            input,
            window: vec![0; WINDOW],
            at: 0,
            end: 0,
            line: 1,
            read: Inspector::new(),
            is_line_start: true,
            was_cr: false,
        };
        match source.ahead(3)? {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                let message = "the text is in UTF-16; PGN is UTF-8 or Latin-1";
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            [0xef, 0xbb, 0xbf] => source.at += 3,
            _ => {}
        }
        Ok(source)
    }

    /// Line of the next byte, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Whether the next byte is the first of its line.
    pub fn is_line_start(&self) -> bool {
        self.is_line_start
    }

    /// The next byte, or `None` at the end.
    pub fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.end && !self.fill()? {
            return Ok(None);
        }
        Ok(Some(self.window[self.at]))
    }

    /// The next bytes: `count` of them, fewer only at the end.
    pub fn ahead(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.end - self.at < count {
            if !self.fill()? {
                break;
            }
        }
        Ok(&self.window[self.at..self.end.min(self.at + count)])
    }

    /// Takes the next byte.
    pub fn next(&mut self) -> io::Result<Option<u8>> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.at += 1;
            self.is_line_start = byte == b'\n';
            self.line += u64::from(self.is_line_start);
        }
        Ok(byte)
    }

    /// Takes the rest of the line, its end excluded.
    pub fn skip_line(&mut self) -> io::Result<()> {
        while self.peek()?.is_some_and(|byte| byte != b'\n') {
            self.next()?;
        }
        Ok(())
    }

    /// What is wrong with bytes up to here, as far as it was not asked before.
    pub fn take_blemish(&mut self) -> Option<(u64, Blemish)> {
        let line = self.line;
        let at = self.read.found.iter().position(|(of, _)| *of <= line)?;
        Some(self.read.found.remove(at))
    }

    /// Reads more; `false` at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.window.copy_within(self.at..self.end, 0);
        self.end -= self.at;
        self.at = 0;
        let start = self.end;
        // A read may bring nothing but the LF of a CR LF.
        while self.end == start {
            let count = match self.input.read(&mut self.window[start..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if count == 0 {
                return Ok(false);
            }
            for at in start..start + count {
                let byte = self.window[at];
                let ends_cr_lf = self.was_cr && byte == b'\n';
                self.was_cr = byte == b'\r';
                if !ends_cr_lf {
                    self.window[self.end] = if self.was_cr { b'\n' } else { byte };
                    self.end += 1;
                }
            }
        }
        self.read.inspect(&self.window[start..self.end]);
        Ok(true)
    }
}

/// Bytes that do not belong in a PGN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blemish {
    /// Not UTF-8: taken as Latin-1, as older PGN is.
    Latin1,
    /// Zero bytes: taken as blanks.
    Nul,
}

/// Looks at every byte once and notes the first of each blemish.
struct Inspector {
    line: u64,
    /// The beginning of a character that the last bytes cut in two.
    cut: Vec<u8>,
    seen: Vec<Blemish>,
    found: Vec<(u64, Blemish)>,
}

impl Inspector {
    fn new() -> Inspector {
        Inspector {
            line: 1,
            cut: Vec::new(),
            seen: Vec::new(),
            found: Vec::new(),
        }
    }

    fn inspect(&mut self, bytes: &[u8]) {
        if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
            self.note(bytes, at, Blemish::Nul);
        }
        if !self.seen.contains(&Blemish::Latin1) {
            let cut = self.cut.len();
            let mut text = std::mem::take(&mut self.cut);
            text.extend_from_slice(bytes);
            if let Err(error) = std::str::from_utf8(&text) {
                let at = error.valid_up_to();
                match error.error_len() {
                    Some(_) => self.note(bytes, at.saturating_sub(cut), Blemish::Latin1),
                    None => self.cut = text[at..].to_vec(),
                }
            }
        }
        self.line += newlines(bytes);
    }

    fn note(&mut self, bytes: &[u8], at: usize, blemish: Blemish) {
        if !self.seen.contains(&blemish) {
            self.seen.push(blemish);
            self.found
                .push((self.line + newlines(&bytes[..at]), blemish));
        }
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_bytes_looked_at_ahead() {
        let mut source = Source::new(&b"a\nbc"[..]).unwrap();
        assert!(source.is_line_start());
        assert_eq!(source.ahead(3).unwrap(), b"a\nb");
        source.next().unwrap();
        assert!(!source.is_line_start());
        source.next().unwrap();
        assert!(source.is_line_start());
        assert_eq!((source.line(), source.peek().unwrap()), (2, Some(b'b')));
        source.skip_line().unwrap();
        assert_eq!(source.next().unwrap(), None);
    }

    #[test]
    fn lines_end_in_any_way() {
        let mut source = Source::new(&b"a\r\nb\rc\n\rd\r"[..]).unwrap();
        let mut text = Vec::new();
        while let Some(byte) = source.next().unwrap() {
            text.push(byte);
        }
        assert_eq!(text, b"a\nb\nc\n\nd\n");
        assert_eq!(source.line(), 6);
    }

    #[test]
    fn the_first_byte_of_each_blemish_is_placed_once() {
        let text = b"\xc3\xa9\n\n\xe9\0\n\0\xff";
        let mut source = Source::new(&text[..]).unwrap();
        assert_eq!(source.take_blemish(), None, "not there yet");
        while source.next().unwrap().is_some() {}
        let found = [source.take_blemish(), source.take_blemish()];
        assert_eq!(found, [Some((3, Blemish::Nul)), Some((3, Blemish::Latin1))]);
        assert_eq!(source.take_blemish(), None);
    }

    #[test]
    fn a_character_cut_by_the_window_is_whole_text() {
        let mut text = vec![b'a'; WINDOW - 1];
        text.extend("é".as_bytes());
        let mut source = Source::new(&text[..]).unwrap();
        while source.next().unwrap().is_some() {}
        assert_eq!(source.take_blemish(), None);
    }

    #[test]
    fn a_byte_order_mark_is_passed_over_and_utf_16_refused() {
        let mut source = Source::new(&b"\xef\xbb\xbf[Event"[..]).unwrap();
        assert_eq!(source.peek().unwrap(), Some(b'['));
        assert!(Source::new(&b"\xff\xfe[\0"[..]).is_err());
    }
}

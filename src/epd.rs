//! EPD lines: a position and operations after it, separated by semicolons.

use thiserror::Error;

use crate::board::{FenError, Position};

/// Why a line is none.
#[derive(Debug, Error)]
#[error("in '{fen}': {fault}")]
pub struct EpdError {
    fen: String,
    fault: FenError,
}

/// A line of an EPD file.
pub struct Record {
    /// The position as written, with counters if there are any.
    pub fen: String,
    /// The same.
    pub position: Position,
    /// Opcode and operand, as written.
    pub operations: Vec<(String, String)>,
}

impl Record {
    /// Reads `FEN op operand; op operand;` or `FEN ;op operand ;op operand`, the FEN with or without
    /// counters.
    ///
    /// # Errors
    /// Says what is wrong with the position.
    pub fn read(line: &str) -> Result<Record, EpdError> {
        let (head, tail) = line.split_once(';').unwrap_or((line, ""));
        let fields: Vec<&str> = head.split_whitespace().collect();
        let counters = fields
            .iter()
            .skip(4)
            .take(2)
            .take_while(|field| is_number(field))
            .count();
        let (fen, first) = fields.split_at(fields.len().min(4 + counters));
        let fen = fen.join(" ");
        let position = match Position::from_fen(&fen) {
            Ok(position) => position,
            Err(fault) => return Err(EpdError { fen, fault }),
        };
        let operations = std::iter::once(first.join(" ").as_str())
            .chain(tail.split(';'))
            .filter_map(|operation| {
                let operation = operation.trim();
                let (code, operand) = operation.split_once(' ').unwrap_or((operation, ""));
                (!code.is_empty()).then(|| (code.to_string(), operand.trim().to_string()))
            })
            .collect();
        Ok(Record {
            fen,
            position,
            operations,
        })
    }

    /// The operand of an operation.
    pub fn operand(&self, code: &str) -> Option<&str> {
        self.operations
            .iter()
            .find(|(c, _)| c == code)
            .map(|(_, operand)| operand.as_str())
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_write_operations_are_read() {
        let record = Record::read("8/8/8/8/8/8/8/K1k5 w - - bm Ka2; id \"x; y\";").unwrap();
        assert_eq!(record.operand("bm"), Some("Ka2"));
        let record = Record::read("8/8/8/8/8/8/8/K1k5 w - - 3 7 ;D1 1 ;D2 5").unwrap();
        assert_eq!(record.operand("D2"), Some("5"));
        assert_eq!(record.fen, "8/8/8/8/8/8/8/K1k5 w - - 3 7");
        assert!(Record::read("8/8/8/8/8/8/8/8 w - - bm Ka2;").is_err());
    }
}

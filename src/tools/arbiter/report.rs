//! What the arbiter found, for people: each game with findings, and a table at the end.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::finding::{Finding, Kind, Severity};
use super::judge::Verdict;

/// Games and findings counted.
#[derive(Default, Debug, Serialize)]
pub struct Summary {
    pub games: u64,
    pub plies: u64,
    pub games_with_errors: u64,
    pub errors: u64,
    pub remarks: u64,
    /// Findings of each kind, with the number of games that have one.
    #[serde(serialize_with = "counts_as_list")]
    counts: BTreeMap<(Severity, Kind), Count>,
}

#[derive(Default, Clone, Copy, Debug)]
struct Count {
    findings: u64,
    games: u64,
}

fn counts_as_list<S: serde::Serializer>(
    counts: &BTreeMap<(Severity, Kind), Count>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(counts.iter().map(|((severity, kind), count)| {
        serde_json::json!({
            "severity": severity,
            "kind": kind,
            "findings": count.findings,
            "games": count.games,
        })
    }))
}

impl Summary {
    pub fn add(&mut self, verdict: &Verdict) {
        self.games += 1;
        self.plies += verdict.plies as u64;
        self.games_with_errors += u64::from(verdict.has_error());
        let mut seen = Vec::new();
        for finding in &verdict.findings {
            match finding.severity {
                Severity::Error => self.errors += 1,
                Severity::Remark => self.remarks += 1,
            }
            let kind = (finding.severity, finding.kind);
            let count = self.counts.entry(kind).or_default();
            count.findings += 1;
            if !seen.contains(&kind) {
                seen.push(kind);
                count.games += 1;
            }
        }
    }

    /// The table at the end; one line if there is nothing to object to.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let (games, plies) = (grouped(self.games), grouped(self.plies));
        let word = |count, one, many| if count == 1 { one } else { many };
        let games = format!("{games} {}", word(self.games, "game", "games"));
        let moves = format!("{games}, {plies} {}", word(self.plies, "ply", "plies"));
        if self.counts.is_empty() {
            return writeln!(out, "{moves}: nothing to object to");
        }
        writeln!(
            out,
            "{moves}, {} with errors",
            grouped(self.games_with_errors)
        )?;
        writeln!(out)?;
        writeln!(out, "  {:24} {:>9} {:>9}", "", "findings", "games")?;
        for ((severity, kind), count) in &self.counts {
            let (findings, games) = (grouped(count.findings), grouped(count.games));
            writeln!(out, "  {severity:6}  {kind:16} {findings:>9} {games:>9}")?;
        }
        Ok(())
    }
}

/// Writes a game with its findings; nothing if there are none.
pub fn print_game(verdict: &Verdict, file: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    if verdict.findings.is_empty() {
        return Ok(());
    }
    if let Some(file) = file {
        write!(out, "{file}, ")?;
    }
    writeln!(
        out,
        "game {}, line {}{}",
        verdict.game,
        verdict.line,
        title(verdict)
    )?;
    print_findings(&verdict.findings, true, out)?;
    writeln!(out)
}

/// Writes findings, one a line, aligned: severity, line of the file where there is one, move, text.
pub fn print_findings(findings: &[Finding], in_file: bool, out: &mut impl Write) -> io::Result<()> {
    let places: Vec<[String; 2]> = findings
        .iter()
        .map(|finding| {
            let written = finding
                .written
                .as_deref()
                .map(printable)
                .unwrap_or_default();
            let line = if in_file {
                format!("line {}", finding.line)
            } else {
                String::new()
            };
            [line, written]
        })
        .collect();
    let width = |column: usize| {
        let lengths = places.iter().map(|place| place[column].chars().count());
        lengths.max().unwrap_or(0)
    };
    let widths = [width(0), width(1)];
    for (finding, place) in findings.iter().zip(&places) {
        write!(out, "  {:6}  ", finding.severity)?;
        for (text, width) in place.iter().zip(widths).filter(|(_, width)| *width > 0) {
            write!(out, "{text:width$}  ")?;
        }
        writeln!(out, "{}", printable(&finding.text))?;
    }
    Ok(())
}

/// `: Carlsen - Nakamura, 2025.06.24, round 6.1, 1-0`, as far as it is known.
fn title(verdict: &Verdict) -> String {
    let known = |tag: &Option<String>| {
        let text = tag.as_deref().map(printable).unwrap_or_default();
        (!text.trim_matches(['?', '.', '-', ' ']).is_empty()).then_some(text)
    };
    let mut parts = Vec::new();
    match (known(&verdict.white), known(&verdict.black)) {
        (None, None) => {}
        (white, black) => {
            let name = |name: Option<String>| name.unwrap_or_else(|| "?".to_string());
            parts.push(format!("{} - {}", name(white), name(black)));
        }
    }
    parts.extend(known(&verdict.date));
    parts.extend(known(&verdict.round).map(|round| format!("round {round}")));
    parts.extend(verdict.result.map(str::to_string));
    if parts.is_empty() {
        String::new()
    } else {
        format!(": {}", parts.join(", "))
    }
}

/// Text from a file, without what would upset a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A verdict as a line of JSON, with the file that it is about.
pub fn with_file(verdict: &Verdict, file: &str) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Line<'a> {
        file: &'a str,
        #[serde(flatten)]
        verdict: &'a Verdict,
    }
    serde_json::to_string(&Line { file, verdict })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(
            [1, 999, 1000, 1_234_567].map(grouped),
            ["1", "999", "1,000", "1,234,567"]
        );
    }

    #[test]
    fn text_of_a_file_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb"), "a\u{fffd}[2Jb");
    }
}

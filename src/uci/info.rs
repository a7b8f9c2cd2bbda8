//! Results as lines of text.

use std::fmt::Write;

use shakmaty::CastlingMode;

use crate::board::uci_text;
use crate::engine::Style;
use crate::search::Report;
use crate::tt::Bound;

/// The `info` line of a report.
pub fn report(report: &Report, style: Style) -> String {
    let mut line = format!("info depth {}", report.depth);
    // Writing to a string does not fail.
    let mut add = |text: std::fmt::Arguments| _ = line.write_fmt(text);
    if report.depth == 0 {
        add(format_args!(" score {}", report.score));
        return line;
    }
    add(format_args!(
        " seldepth {} multipv {}",
        report.seldepth, report.line
    ));
    add(format_args!(" score {}", report.score));
    match report.bound {
        Bound::Exact => {}
        Bound::Lower => add(format_args!(" lowerbound")),
        Bound::Upper => add(format_args!(" upperbound")),
    }
    if style.wdl {
        let wdl = report.score.wdl(report.material);
        add(format_args!(" wdl {} {} {}", wdl.win, wdl.draw, wdl.loss));
    }
    let millis = report.time.as_millis().max(1);
    let nps = u128::from(report.nodes) * 1000 / millis;
    add(format_args!(
        " nodes {} nps {nps} hashfull {}",
        report.nodes, report.hash_full
    ));
    add(format_args!(
        " tbhits {} time {millis} pv",
        report.table_hits
    ));
    for &m in &report.pv {
        add(format_args!(" {}", uci_text(m, style.castling)));
    }
    line
}

/// The `bestmove` line.
pub fn best_move(
    best: Option<shakmaty::Move>,
    ponder: Option<shakmaty::Move>,
    castling: CastlingMode,
) -> String {
    match (
        best.map(|m| uci_text(m, castling)),
        ponder.map(|m| uci_text(m, castling)),
    ) {
        (Some(best), Some(ponder)) => format!("bestmove {best} ponder {ponder}"),
        (Some(best), None) => format!("bestmove {best}"),
        (None, _) => "bestmove (none)".to_string(),
    }
}

/// An `info string` line. GUIs search lines for words of the protocol, so these are broken up in
/// whatever text a user may have sent us.
pub fn message(text: &str) -> String {
    const LONGEST: usize = 300;
    let text: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let text = text.replace("score", "s_core").replace(" pv ", " p_v ");
    format!("info string {}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{MATERIAL, Score};
    use std::time::Duration;

    fn example() -> Report {
        Report {
            depth: 7,
            seldepth: 9,
            line: 1,
            score: Score::mated_in(4),
            material: MATERIAL,
            bound: Bound::Exact,
            nodes: 5000,
            time: Duration::from_micros(100),
            hash_full: 3,
            table_hits: 0,
            pv: Vec::new(),
        }
    }

    #[test]
    fn a_report_holds_whole_numbers_in_the_order_guis_expect() {
        let style = Style {
            castling: CastlingMode::Standard,
            wdl: false,
        };
        assert_eq!(
            report(&example(), style),
            "info depth 7 seldepth 9 multipv 1 score mate -2 nodes 5000 nps 5000000 hashfull 3 \
             tbhits 0 time 1 pv"
        );
    }

    #[test]
    fn a_bound_follows_the_score_and_precedes_the_probabilities() {
        let style = Style {
            castling: CastlingMode::Standard,
            wdl: true,
        };
        let line = report(
            &Report {
                bound: Bound::Lower,
                ..example()
            },
            style,
        );
        assert!(
            line.contains("score mate -2 lowerbound wdl 0 0 1000 "),
            "{line}"
        );
    }

    #[test]
    fn a_message_never_looks_like_data() {
        assert_eq!(
            message("score cp 3 pv e2e4\n"),
            "info string s_core cp 3 p_v e2e4"
        );
    }
}

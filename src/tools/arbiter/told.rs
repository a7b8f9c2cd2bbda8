//! What was noted in the course of a game, put into findings: claims and careless notation.

use saavedra::rules::{Claim, RuleSet};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Color};

use super::claims::Opportunity;
use super::course::Course;
use super::finding::{ClaimRecord, Finding, Kind, Severity};
use super::judge::{Verdict, about_game};
use super::language::Language;
use super::words::{again, color_name, join, times};

impl Course<'_> {
    /// Writes down everything.
    pub fn report(mut self, verdict: &mut Verdict) {
        self.report_claims();
        self.report_slips();
        verdict.findings.append(&mut self.findings);
        verdict.plies = self.played.len();
        verdict.language = self.language.name();
        verdict.ending = self.over.map(|(_, ending)| ending.to_string());
        verdict.ended_after = self.over.map(|(plies, _)| plies);
        verdict.final_fen = Some(
            self.position()
                .fen(CastlingMode::from_chess960(self.record.is_chess960())),
        );
        verdict.legal_moves = self.position().legal_moves().len();
        verdict.occurrences = self.history.game.occurrences();
        verdict.last = Some(self.history.game);
    }

    /// One remark for each rule and side: the first opportunity, and how many there were.
    fn report_claims(&mut self) {
        let last = self
            .history
            .game
            .position()
            .has_legal_move()
            .then(|| self.position().legal_moves());
        if let Some(legal) = last
            && self.over.is_none()
            && self.settings.rules == RuleSet::Fide
        {
            self.opportunities
                .extend(self.history.opportunities(&legal, None));
        }
        let mut all = std::mem::take(&mut self.opportunities);
        // That a position was dead may have been found only at the end.
        all.retain(|o| self.over.is_none_or(|(over, _)| o.plies < over));
        for claim in [Claim::ThreefoldRepetition, Claim::FiftyMoves] {
            for side in Color::ALL {
                let of_kind: Vec<&Opportunity> = all
                    .iter()
                    .filter(|o| o.claim == claim && o.by == side)
                    .collect();
                if let [first, more @ ..] = &of_kind[..] {
                    let mut text = self.claim_text(first);
                    if let Some(last) = more.last() {
                        text += &format!(
                            "; {}, the last {}",
                            again(more.len()),
                            self.after(last.plies)
                        );
                    }
                    let claims = of_kind.iter().map(|o| self.claim_record(o)).collect();
                    let index = first.plies;
                    let is_move = index < self.record.moves.len();
                    let line = self
                        .record
                        .moves
                        .get(index)
                        .or(self.record.moves.get(index.saturating_sub(1)));
                    let line = line.map_or(self.record.line, |written| written.line);
                    self.findings.push(Finding {
                        order: index + 1,
                        ply: is_move.then_some(index + 1),
                        written: is_move.then(|| self.label(index)),
                        claims,
                        ..about_game(Severity::Remark, Kind::Claim, line, text)
                    });
                }
            }
        }
    }

    fn announced(&self, opportunity: &Opportunity) -> Option<String> {
        let m = opportunity.announcing?;
        let chess = self.position_at(opportunity.plies).chess().clone();
        Some(SanPlus::from_move(chess, m).to_string())
    }

    fn claim_text(&self, opportunity: &Opportunity) -> String {
        let side = color_name(opportunity.by);
        let plies = opportunity.plies;
        let how = match self.announced(opportunity) {
            None => String::new(),
            Some(san) => {
                let dots = opportunity.by.fold_wb(".", "...");
                let is_played = self.played.get(plies) == Some(&opportunity.announcing);
                let played = if is_played { "" } else { " (not played)" };
                format!(" announcing {}{dots} {san}{played}", self.number(plies))
            }
        };
        match opportunity.claim {
            Claim::ThreefoldRepetition => {
                let stood: Vec<String> = opportunity
                    .occurrences
                    .iter()
                    .filter(|&&at| at <= plies)
                    .take(3)
                    .map(|&at| self.after(at))
                    .collect();
                let already = opportunity.announcing.map_or("", |_| " already");
                format!(
                    "{side} could claim threefold repetition{how}: the position stood{already} {}",
                    join(&stood)
                )
            }
            Claim::FiftyMoves => {
                let halfmoves = self.position_at(plies).halfmoves() as usize;
                let since = match plies.checked_sub(halfmoves) {
                    Some(at) => self.after(at).replace("after ", "since "),
                    None => "by the counter of the set-up".to_string(),
                };
                format!("{side} could claim fifty moves{how}: no capture or pawn move {since}")
            }
        }
    }

    fn claim_record(&self, opportunity: &Opportunity) -> ClaimRecord {
        ClaimRecord {
            rule: match opportunity.claim {
                Claim::ThreefoldRepetition => "threefold repetition".to_string(),
                Claim::FiftyMoves => "fifty moves".to_string(),
            },
            by: color_name(opportunity.by).to_string(),
            plies: opportunity.plies,
            announcing: self.announced(opportunity),
            occurrences: opportunity.occurrences.clone(),
        }
    }

    /// One remark for each kind of slip.
    fn report_slips(&mut self) {
        if self.language != Language::English {
            let text = format!(
                "piece letters are {} ({})",
                self.language.name(),
                self.language.letters()
            );
            let line = self
                .record
                .moves
                .get(0)
                .map_or(self.record.line, |written| written.line);
            self.findings
                .push(about_game(Severity::Remark, Kind::Notation, line, text));
        }
        let slips = std::mem::take(&mut self.slips);
        if let Some((first, count)) = slips.numbers {
            let text = format!("wrong move number{}", times(count));
            self.find(Severity::Remark, Kind::Notation, first, text);
        }
        for counted in slips.counted() {
            let position = self.position_at(counted.first);
            let san = SanPlus::from_move(position.chess().clone(), counted.read_as);
            let text = format!(
                "{}, read as {san}{}",
                counted.slip.text(),
                times(counted.count)
            );
            self.find(Severity::Remark, Kind::Notation, counted.first, text);
        }
    }
}

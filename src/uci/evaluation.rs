//! What `eval` shows: the static evaluation, and what each man contributes to it.

use shakmaty::{File, Rank, Role, Square};

use crate::board::Position;
use crate::eval;
use crate::eval::nnue::Network;
use crate::score::Score;

/// The evaluation of a position that is not in check, as text. A man's contribution is what the
/// evaluation loses without him, in pawns from White's view; kings cannot be left out.
pub fn explain(position: &Position, network: &Network) -> String {
    let board = position.board();
    let from_white = |score: Score| {
        let score = if position.turn().is_white() {
            score
        } else {
            -score
        };
        score.normalised()
    };
    let raw = network.evaluate(board, position.turn());
    let contribution = |square: Square| {
        let mut without = board.clone();
        let piece = without.remove_piece_at(square)?;
        (piece.role != Role::King)
            .then(|| from_white(raw) - from_white(network.evaluate(&without, position.turn())))
    };
    let rule = format!("  +{}\n", "-------+".repeat(8));
    let mut text = rule.clone();
    for rank in Rank::ALL.into_iter().rev() {
        let squares = File::ALL.map(|file| Square::from_coords(file, rank));
        let men = squares.map(|square| {
            let piece = board.piece_at(square);
            format!("   {}   |", piece.map_or(' ', |piece| piece.char()))
        });
        let values = squares.map(|square| match contribution(square) {
            Some(value) => format!(" {:>+5.2} |", f64::from(value) / 100.0),
            None => "       |".to_string(),
        });
        text.push_str(&format!(
            "{} |{}\n  |{}\n{rule}",
            rank.char(),
            men.concat(),
            values.concat()
        ));
    }
    let files = File::ALL.map(|file| format!("   {}    ", file.char()));
    let eval = eval::fade(raw, position.halfmoves());
    format!(
        "{text}   {}\n\nEvaluation: {} centipawns (White's view)",
        files.concat().trim_end(),
        from_white(eval)
    )
}

//! The board drawn for a terminal.

use saavedra::board::Position;
use shakmaty::{File, Piece, Rank, Role, Square};

/// Eight lines of figurines with coordinates, from White's side.
pub fn draw(position: &Position) -> String {
    let files = "    a b c d e f g h\n";
    let mut text = files.to_string();
    for rank in Rank::ALL.into_iter().rev() {
        text += &format!("  {} ", rank.char());
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            text.push(piece.map_or('·', figurine));
            text.push(' ');
        }
        text += &format!("{}\n", rank.char());
    }
    text + files
}

fn figurine(piece: Piece) -> char {
    let signs = match piece.role {
        Role::King => ['♔', '♚'],
        Role::Queen => ['♕', '♛'],
        Role::Rook => ['♖', '♜'],
        Role::Bishop => ['♗', '♝'],
        Role::Knight => ['♘', '♞'],
        Role::Pawn => ['♙', '♟'],
    };
    signs[piece.color.fold_wb(0, 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_drawn_from_whites_side() {
        let text = draw(&Position::startpos());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[1], "  8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜ 8");
        assert_eq!(lines[7], "  2 ♙ ♙ ♙ ♙ ♙ ♙ ♙ ♙ 2");
    }
}

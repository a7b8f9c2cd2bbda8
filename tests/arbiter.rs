//! `saavedra arbiter`: every kind of finding, from whole games and from positions, and that it says of
//! real games what another program computed.

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use common::binary;
use saavedra::board::{Position, parse_move};
use serde_json::Value;

fn data(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs the arbiter with `input` on standard input.
fn arbiter(args: &[&str], input: &[u8]) -> Output {
    let mut child = binary()
        .arg("arbiter")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the arbiter starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // Not everything is read where arguments are wrong.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("written");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The lines about games, as JSON; the summary at the end is left out.
fn verdicts(args: &[&str], pgn: &str) -> Vec<Value> {
    let output = arbiter(&[&["-", "--json"], args].concat(), pgn.as_bytes());
    let text = text(&output.stdout);
    let mut lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    let summary = lines.pop().expect("a summary");
    assert_eq!(summary["summary"]["games"], lines.len());
    lines
}

/// A game's findings as `severity, kind, move: text`.
fn findings(args: &[&str], pgn: &str) -> Vec<String> {
    let verdicts = verdicts(args, pgn);
    assert_eq!(verdicts.len(), 1, "{pgn}");
    let findings = verdicts[0]["findings"].as_array().expect("findings");
    let word = |value: &Value| value.as_str().unwrap_or("-").to_string();
    findings
        .iter()
        .map(|f| {
            let [severity, kind] = [&f["severity"], &f["kind"]].map(word);
            let [place, text] = [&f["move"], &f["text"]].map(word);
            format!("{severity}, {kind}, {place}: {text}")
        })
        .collect()
}

fn set_up(fen: &str, moves: &str) -> String {
    format!("[FEN \"{fen}\"]\n\n{moves}\n")
}

#[track_caller]
fn assert_findings(pgn: &str, expected: &[&str]) {
    assert_eq!(findings(&[], pgn), expected, "{pgn}");
}

#[test]
fn spanish_letters_are_read_and_named() {
    let output = arbiter(&["-"], b"1.e4 e5 2.Dh5 Cc6 3.Ac4 Cf6 4.Dxf7++ 1-0");
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    assert!(
        stdout.contains("piece letters are Spanish (RDTAC)"),
        "{stdout}"
    );
}

#[test]
fn every_language_and_figurines_are_read() {
    for (pgn, language) in [
        ("1. e4 e5 2. Sf3 Sc6 3. Lb5 Lc5 4. O-O Df6 *", "German"),
        ("1. e4 e5 2. Cf3 Cc6 3. Fb5 Fc5 4. O-O Df6 *", "French"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 Bc5 4. O-O Qf6 *", "English"),
        ("1. e4 e5 2. ♘f3 ♞c6 3. ♗b5 ♝c5 4. O-O ♛f6 *", "English"),
    ] {
        let verdict = &verdicts(&[], pgn)[0];
        assert_eq!(verdict["plies"], 8, "{pgn}");
        assert_eq!(verdict["language"], language);
    }
    assert_findings(
        "1. e4 e5 2. Nf3 Cc6 3. Bb5 *",
        &["remark, notation, 2... Cc6: a piece letter of Spanish (RDTAC), read as Nc6"],
    );
}

#[test]
fn a_game_in_order_is_passed_over_in_silence() {
    let output = arbiter(&["-"], b"1. f3 e5 2. g4 Qh4# 0-1");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output.stdout),
        "1 game, 4 plies: nothing to object to\n"
    );
    assert!(output.stderr.is_empty());
}

#[test]
fn an_illegal_move_is_told_with_its_number_text_and_reason() {
    for (fen, moves, expected) in [
        (
            "4k3/8/8/8/2b5/8/8/4K2R w K - 0 1",
            "1. O-O *",
            "error, illegal-move, 1. O-O: illegal: the king passes f1, attacked by the bishop on c4",
        ),
        (
            "4k3/8/8/8/1b6/8/3N4/4K3 w - - 0 30",
            "30. Nf3 *",
            "error, illegal-move, 30. Nf3: illegal: the knight on d2 is pinned to the king on e1 by \
             the bishop on b4",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
            "1. Rd3 *",
            "error, illegal-move, 1. Rd3: illegal: no rook can reach d3",
        ),
        (
            "4r1k1/8/8/8/8/8/8/N3K3 w - - 0 1",
            "1. Nb3 *",
            "error, illegal-move, 1. Nb3: illegal: the knight on a1 to b3 leaves the king on e1 in \
             check from the rook on e8",
        ),
    ] {
        assert_findings(&set_up(fen, moves), &[expected]);
    }
    assert_findings(
        "1. e4 e5 2. Nf6 1-0",
        &[
            "error, illegal-move, 2. Nf6: illegal: no knight can reach f6 (it would be a move of Black's)",
        ],
    );
    assert_findings(
        "1. e4 hello *",
        &["error, unreadable, 1... hello: 'hello' is not a move"],
    );
    assert_eq!(arbiter(&["-"], b"1. e5 *").status.code(), Some(1));
}

#[test]
fn what_an_illegal_move_was_meant_to_be_is_told_if_the_rest_says_so() {
    let found = findings(&[], "1. e4 e5 2. Nf3 Nc6 3. Bb6 a6 4. Ba4 Nf6 5. O-O Be7 *");
    assert_eq!(found.len(), 1);
    assert!(
        found[0].ends_with("; with Bb5 the rest can be played"),
        "{found:?}"
    );
}

#[test]
fn castling_rights_lost_are_lost_for_ever() {
    assert_findings(
        "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. Rg1 a6 5. Rh1 a5 6. O-O *",
        &[
            "error, illegal-move, 6. O-O: illegal: king or rook has moved before, so castling on the \
           king's side is lost",
        ],
    );
}

#[test]
fn an_ambiguous_move_is_read_by_what_follows() {
    let start = "4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1";
    assert_findings(
        &set_up(start, "1. Nd2 Kd7 2. Ng3 *"),
        &[
            "remark, ambiguous, 1. Nd2: ambiguous: Nbd2 or Nfd2; read as Nbd2, with which the game goes \
           on furthest",
        ],
    );
    assert_findings(
        &set_up(start, "1. Nd2 *"),
        &[
            "error, ambiguous, 1. Nd2: ambiguous: Nbd2 or Nfd2; read as Nbd2, though nothing speaks \
           against the others",
        ],
    );
    assert_findings(
        &set_up("8/4P2k/8/8/8/8/p7/4K3 w - - 0 1", "1. e8 Kg8 2. Nf6+ *"),
        &[
            "remark, ambiguous, 1. e8: ambiguous: e8=Q or e8=N or e8=R or e8=B; read as e8=N, with \
             which the game goes on furthest",
        ],
    );
}

#[test]
fn careless_notation_is_told_once_with_how_it_was_read() {
    assert_findings(
        "1. e4 d5 2. ed5 Qd5 3. nc3 Qe5 4. Be2 Nf6 5. Nf3 Qe4 6. 0-0 E5 7. g2g3 Bc5# 8. Re1 *",
        &[
            "remark, notation, 2. ed5: a capture without x, read as exd5 (2 times)",
            "remark, notation, 3. nc3: capital and small letter confused, read as Nc3 (2 times)",
            "remark, notation, 3... Qe5: check or mate without its mark, read as Qe5+",
            "remark, notation, 6. 0-0: zeros for castling, read as O-O",
            "remark, notation, 7. g2g3: squares instead of piece and target, read as g3",
            "remark, notation, 7... Bc5#: a mark of check or mate that is none, read as Bc5",
        ],
    );
    assert_findings(
        "1. e4 e5 3. Nf3 *",
        &["remark, notation, 2. Nf3: wrong move number"],
    );
}

#[test]
fn a_null_move_is_an_error_and_the_rest_is_still_read() {
    let pgn = "1. e4 -- 2. d4 e5 3. dxe5 Z0 4. Nf6+ *";
    let found = findings(&[], pgn);
    assert_eq!(
        found[0],
        "error, null-move, 1... --: null move: a turn cannot be passed"
    );
    assert_eq!(
        found[1],
        "error, null-move, 3... Z0: null move: a turn cannot be passed"
    );
    assert!(found[2].starts_with("error, illegal-move, 4. Nf6+"));
}

const SHUFFLE: &str = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8";

#[test]
fn threefold_repetition_can_be_claimed_with_the_move_and_after_it() {
    assert_findings(
        &format!("{SHUFFLE} 5. e4 1-0"),
        &[
            "remark, claim, 4... Ng8: Black could claim threefold repetition announcing 4... Ng8: the \
             position stood already at the start and after 2... Ng8",
            "remark, claim, 5. e4: White could claim threefold repetition: the position stood at \
             the start, after 2... Ng8 and after 4... Ng8",
        ],
    );
    let verdicts = verdicts(&[], &format!("{SHUFFLE} *"));
    let claims = &verdicts[0]["findings"][0]["claims"];
    assert_eq!(claims[0]["occurrences"].to_string(), "[0,4,8]");
    assert_eq!(
        arbiter(&["-"], format!("{SHUFFLE} 1-0").as_bytes())
            .status
            .code(),
        Some(0)
    );
}

#[test]
fn a_claim_with_a_move_that_was_not_played_is_told() {
    let found = findings(&[], "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 d5 *");
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("announcing 4... Ng8 (not played)"),
        "{found:?}"
    );
}

#[test]
fn fifty_moves_can_be_claimed_with_the_move_and_after_it() {
    assert_findings(
        &set_up(
            "k7/8/1K6/8/8/8/8/7R w - - 99 90",
            "90. Rh2 Kb8 91. Rh8# 1-0",
        ),
        &[
            "remark, claim, 90. Rh2: White could claim fifty moves announcing 90. Rh2: no capture or \
             pawn move by the counter of the set-up; once more, the last after 90... Kb8",
            "remark, claim, 90... Kb8: Black could claim fifty moves: no capture or pawn move by the \
             counter of the set-up",
        ],
    );
}

#[test]
fn online_a_claim_is_not_needed_and_playing_on_is_an_error() {
    let found = findings(&["--rules", "online"], &format!("{SHUFFLE} 5. e4 1-0"));
    assert_eq!(
        found,
        [
            "error, played-on, 5. e4: the game was over after 4... Ng8: threefold repetition; one \
             more move follows",
            "error, result, -: the result is 1/2-1/2, not 1-0: threefold repetition after 4... Ng8",
        ]
    );
}

#[test]
fn moves_after_the_end_of_the_game_are_errors() {
    assert_findings(
        "1. f3 e5 2. g4 Qh4# 3. h3 Qg3 0-1",
        &[
            "error, played-on, 3. h3: the game was over after 2... Qh4#: checkmate by Black; 2 more \
           moves follow",
        ],
    );
    assert_findings(
        &set_up("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "1. Kg6 Kg8 1/2-1/2"),
        &[
            "error, played-on, 1... Kg8: the game was over after 1. Kg6: stalemate; one more move \
           follows",
        ],
    );
    assert_findings(
        &set_up("7k/8/8/8/8/8/1q6/K7 w - - 0 1", "1. Kxb2 Kg8 1/2-1/2"),
        &[
            "error, played-on, 1... Kg8: the game was over after 1. Kxb2: dead position (the material \
           does not suffice for any mate); one more move follows",
        ],
    );
    assert_findings(
        &set_up(
            "k7/8/1K6/8/8/8/8/7R w - - 149 190",
            "190. Rh2 Kb8 191. Rh8# 1-0",
        ),
        &[
            "remark, claim, 190. Rh2: White could claim fifty moves: no capture or pawn move by the \
             counter of the set-up",
            "error, played-on, 190... Kb8: the game was over after 190. Rh2: seventy-five moves; 2 \
             more moves follow",
            "error, result, -: the result is 1/2-1/2, not 1-0: seventy-five moves after 190. Rh2",
        ],
    );
    let fivefold = "Nf3 Nf6 Ng1 Ng8 ".repeat(4);
    let found = findings(&[], &format!("{fivefold} e4 1/2-1/2"));
    assert!(
        found.contains(
            &"error, played-on, 9. e4: the game was over after 8... Ng8: fivefold repetition; one \
              more move follows"
                .to_string()
        ),
        "{found:?}"
    );
}

#[test]
fn a_mate_on_the_last_of_seventy_five_moves_wins() {
    let found = findings(
        &[],
        &set_up("k7/8/1K6/8/8/8/8/7R w - - 149 190", "190. Rh8# 1-0"),
    );
    assert_eq!(found.len(), 1, "only the claim before it: {found:?}");
}

#[test]
fn a_dead_position_behind_a_wall_of_pawns_is_found_and_when_it_arose() {
    let fen = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/2n5/1K6 w - - 0 1";
    let found = findings(&[], &set_up(fen, "1. Kxc2 Ke7 2. Kc3 1-0"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with(
            "error, played-on, 1... Ke7: the game was over after 1. Kxc2: dead position ("
        ),
        "{found:?}"
    );
    assert!(
        found[1].starts_with("error, result, -: the result is 1/2-1/2, not 1-0: dead position")
    );
}

#[test]
fn the_result_must_be_that_of_the_board_and_the_same_in_tag_and_moves() {
    assert_findings(
        "1. f3 e5 2. g4 Qh4# 1-0",
        &["error, result, -: the result is 0-1, not 1-0: checkmate by Black after 2... Qh4#"],
    );
    assert_findings(
        "1. f3 e5 2. g4 Qh4# *",
        &["remark, result, -: the result is 0-1, not *: checkmate by Black after 2... Qh4#"],
    );
    assert_findings(
        &set_up("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "1. Kg6 1-0"),
        &["error, result, -: the result is 1/2-1/2, not 1-0: stalemate after 1. Kg6"],
    );
    assert_findings(
        "[Result \"1-0\"]\n\n1. e4 0-1",
        &["error, result, -: the Result tag says 1-0, the moves end with 0-1"],
    );
}

#[test]
fn a_loss_on_time_is_a_draw_if_the_opponent_cannot_mate() {
    let game = |fen: &str, result: &str| {
        format!(
            "[FEN \"{fen}\"]\n[Termination \"Time forfeit\"]\n[Result \"{result}\"]\n\n{result}\n"
        )
    };
    let bare_king = "4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1";
    let found = findings(&[], &game(bare_king, "0-1"));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with(
            "error, result, -: the result is 1/2-1/2, not 0-1: White lost on time; Black cannot mate by \
             any series of legal moves: "
        ),
        "{found:?}"
    );
    let found = findings(&[], &game(bare_king, "1/2-1/2"));
    assert!(found[0].starts_with(
        "remark, flag, -: White lost on time, but the game is drawn: Black cannot mate"
    ));
    assert_findings(&game(bare_king, "1-0"), &[]);
    // Two knights can mate a king with the opponent's help, and so can one against a pawn.
    let knight = "7k/8/5K2/8/8/8/p7/6N1 b - - 0 1";
    let verdict = &verdicts(&[], &game(knight, "1/2-1/2"))[0];
    let finding = &verdict["findings"][0];
    assert_eq!(finding["severity"], "error", "{finding}");
    let helpmate = finding["helpmate"].as_array().expect("a line");
    assert_mates(knight, helpmate);
}

#[test]
fn whose_flag_fell_is_read_from_the_termination() {
    let bare_king = "6k1/8/8/8/8/8/8/K6R w - - 0 1";
    let game = |termination: &str, result: &str| {
        format!("[FEN \"{bare_king}\"]\n[Termination \"{termination}\"]\n\n1. Kb2 {result}\n")
    };
    let found = findings(&[], &game("White lost on time", "1/2-1/2"));
    assert!(
        found[0].starts_with("remark, flag, -: White lost on time, but the game is drawn"),
        "{found:?}"
    );
    let found = findings(&[], &game("White forfeits on time", "1-0"));
    assert!(
        found[0].starts_with("error, result, -: the result is 1/2-1/2, not 1-0: White lost"),
        "{found:?}"
    );
    for other in ["TimeLord won by resignation", "time control"] {
        assert_findings(&game(other, "1-0"), &[]);
    }
}

#[test]
fn nothing_can_be_claimed_once_the_position_is_dead() {
    let fen = "Bb1k1b2/bKp1p1p1/1pP1P1P1/1P6/p5P1/P7/8/8 w - - 0 1";
    let moves = "1. Ka6 Kc8 2. Bb7+ Kd8 3. Ba8 Kc8 4. Bb7+ Kd8 5. Ba8 Kc8 1/2-1/2";
    let found = findings(&["--rules", "fide"], &set_up(fen, moves));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("the game was over at the start: dead position"));
}

#[test]
fn an_illegal_bishop_move_is_not_read_as_one_of_a_pawn() {
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb4 a6 4. Ba4 Nf6 5. O-O Be7 *";
    assert_findings(
        moves,
        &[
            "error, illegal-move, 3. Bb4: illegal: no bishop can reach b4 (it would be a move of Black's); with \
             Bb5 the rest can be played",
        ],
    );
}

/// The line is legal and ends in mate.
fn assert_mates(fen: &str, line: &[Value]) {
    let mut position = Position::from_fen(fen).expect("a position");
    for text in line {
        let text = text.as_str().expect("a move");
        let m = parse_move(&position, text).unwrap_or_else(|| panic!("{text} in {fen}"));
        position.play(m);
    }
    assert!(position.is_checkmate(), "{fen}: {line:?}");
}

#[test]
fn the_flag_can_be_told_on_the_command_line() {
    let pgn = "1. f3 e5 2. g4 Qg5 1-0";
    let found = findings(&["--flag", "white"], pgn);
    assert!(
        found[0].starts_with("error, result, -: the result is 0-1, not 1-0: White lost on time")
    );
    let pgn = set_up("7k/8/6K1/8/8/8/8/R7 b - - 0 1", "1-0");
    let found = findings(&["--flag", "black"], &pgn);
    assert!(found[0].starts_with("remark, flag, -: Black lost on time; White can still mate: "));
}

#[test]
fn set_ups_that_cannot_be_played_and_other_variants_are_told() {
    assert_findings(
        &set_up("8/8/8/8/8/8/8/4K3 w - - 0 1", "1. Ke2 *"),
        &["error, setup, -: '8/8/8/8/8/8/8/4K3 w - - 0 1': a king is missing"],
    );
    assert_findings(
        "[Variant \"Atomic\"]\n\n1. e4 *",
        &["remark, setup, -: the rules of atomic are not known here"],
    );
    assert_findings(
        "[Variant \"Chess960\"]\n[FEN \"nnrbkrbq/pppppppp/8/8/8/8/PPPPPPPP/NNRBKRBQ w FCfc - 0 1\"]\n\n\
         1. e3 e6 2. Be2 Be7 3. O-O O-O *",
        &["error, illegal-move, 3. O-O: illegal: the bishop on g1 is in the way of castling"],
    );
}

#[test]
fn broken_pgn_is_told_with_its_line_and_the_next_game_is_read() {
    for (broken, expected) in [
        (
            "[Event \"a\"]\n\n1. e4 {never closed\n",
            "line 3  a comment is never closed",
        ),
        (
            "[Event \"a\"]\n\n1. e4 (1. d4\n",
            "line 3  a variation is never closed",
        ),
        (
            "[Event \"a\"]\n\n1. e4 e5\n",
            "line 4  no result after the moves",
        ),
        (
            "[Event \"a\n\n1. e4 1-0\n",
            "line 1  the tag Event is not closed",
        ),
        ("[Event a]\n\n1. e4 1-0\n", "line 1  not a tag: [Event a]"),
        (
            "[Event \"a\"]\n\n1. e4 e5) 1-0\n",
            "line 3  ')' closes nothing",
        ),
        (
            "[Event \"a\"]\n\n1. e4 \0 1-0\n",
            "line 3  zero bytes, read as blanks",
        ),
    ] {
        let pgn = format!("{broken}[Event \"b\"]\n\n1. e4 e5 2. Ke3 1-0\n");
        let output = arbiter(&["-"], pgn.as_bytes());
        let stdout = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{stdout}");
        assert!(stdout.contains(expected), "{expected}: {stdout}");
        assert!(stdout.contains("no king can reach e3"), "{stdout}");
    }
    let output = arbiter(&["-"], b"[White \"J\xfcrgen\"]\n\n1. e4 d6 2. Ke3 1-0\n");
    assert!(text(&output.stdout).contains("Jürgen"));
    assert!(
        text(&output.stdout).contains("line 1          not UTF-8, read as Latin-1"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn any_bytes_at_all_are_read_to_the_end() {
    let mut state = 1_u32;
    let mut noise = Vec::new();
    let pieces: [&[u8]; 12] = [
        b"[Event \"x\"]\n",
        b"1. e4 ",
        b"{",
        b"}",
        b"(",
        b")",
        b"\n",
        b"\"",
        b"[",
        b"*",
        b"\0\xff",
        b"Nf3 ",
    ];
    for _ in 0..20_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.extend(pieces[(state >> 16) as usize % pieces.len()]);
    }
    let output = arbiter(&["-", "--json"], &noise);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    for size in 1..20 {
        let code = arbiter(&["-"], &noise[..size * 7]).status.code();
        assert!(matches!(code, Some(0 | 1)), "{size}: {code:?}");
    }
}

#[test]
fn what_cannot_be_read_gives_code_2_and_a_cause() {
    for (args, input) in [
        (&["/no/such/file.pgn"][..], &b""[..]),
        (&["-"], b""),
        (&["-"], b"\xff\xfe[\0E\0"),
        (&["--fen", "nonsense"], b""),
        (&["--fens", "/no/such/file"], b""),
        (&["--fens", "-"], b"# no position\n\n"),
        (&[], b""),
        (&["-", "--flag", "green"], b""),
        (&["-", "--nodes", "0"], b""),
    ] {
        let output = arbiter(args, input);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
    let folder = std::env::temp_dir().join(format!("saavedra-arbiter-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a writable folder");
    let good = folder.join("good.pgn");
    fs::write(&good, "1. e4 *").expect("written");
    let good = good.display().to_string();
    let output = arbiter(&["/no/such/file.pgn", &good], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stdout).contains("1 game, 1 ply:"),
        "the other file is read"
    );
}

#[test]
fn a_position_is_drawn_with_its_moves_and_who_can_mate() {
    let output = arbiter(&["--fen", "4k3/8/8/8/8/8/4Q3/4K3 b - - 0 1"], b"");
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    for part in [
        "  2 · · · · ♕ · · · 2",
        "Black to move, in check from the queen on e2",
        "4 legal moves: Kd7 Kd8 Kf7 Kf8",
        "White can mate: ",
        "Black cannot mate: ",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
}

#[test]
fn a_position_is_judged_after_moves_in_any_notation() {
    let output = arbiter(&["--moves", "f3", "e7e5", "g4", "Dh4"], b"");
    let stdout = text(&output.stdout);
    assert!(stdout.contains("The game is over: checkmate"), "{stdout}");
    let output = arbiter(&["--moves", "1.e4 e5 2.Qh5", "Nc6 3.Bc4 Nf6 4.Qxf7#"], b"");
    assert!(text(&output.stdout).contains("The game is over: checkmate"));
    assert_eq!(output.status.code(), Some(0));
    let output = arbiter(&["--moves", "e4", "e5", "Ke3"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("illegal: no king can reach e3"));
    let output = arbiter(&["--fen", "4k3/8/8/8/8/8/4r3/4K2R b K - 0 1"], b"");
    assert_eq!(
        output.status.code(),
        Some(1),
        "the side not to move is in check"
    );
    assert!(text(&output.stdout).contains("the side not to move is in check"));
}

#[test]
fn a_file_of_positions_is_answered_line_by_line() {
    let dead = "4k3/8/8/8/8/8/8/4KB2 w - - 0 1";
    let one_sided = "4k3/8/8/8/8/8/4Q3/4K3 b - - 0 1";
    let input = format!("{dead}\n\n# a comment\n{one_sided}\nnonsense\n");
    let output = arbiter(&["--fens", "-", "--json"], input.as_bytes());
    assert_eq!(output.status.code(), Some(1), "one line is no position");
    let stdout = text(&output.stdout);
    let answers: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0]["fen"], dead);
    assert_eq!(answers[0]["dead"], true);
    assert_eq!(answers[0]["white_can_mate"], "no");
    assert_eq!(answers[1]["legal"], true);
    assert_eq!(answers[1]["black_can_mate"], "no");
    assert_eq!(answers[1]["dead"], false);
    assert_eq!(answers[1]["helpmate_black"], Value::Null);
    assert_mates(
        one_sided,
        answers[1]["helpmate_white"].as_array().expect("a line"),
    );
    assert_eq!(answers[2]["legal"], false);
    assert_eq!(answers[2]["white_can_mate"], "unknown");
    let output = arbiter(&["--fens", "-"], dead.as_bytes());
    assert!(text(&output.stdout).contains("The game is over: dead position"));
}

/// What `final_states.csv` calls an ending.
fn state(ending: &str) -> &str {
    match ending {
        "dead position" => "insufficient",
        "seventy-five moves" => "seventyfive",
        "fivefold repetition" => "fivefold",
        "fifty moves" => "fifty",
        "threefold repetition" => "threefold",
        other => other,
    }
}

#[test]
fn whole_games_end_as_the_table_says() {
    let games = data("games/moves_uci.tsv");
    let states = data("games/final_states.csv");
    let rows: Vec<Vec<&str>> = states
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<&str>>())
        .filter(|row| row[10].is_empty())
        .collect();
    let mut pgn = String::new();
    for (game, row) in games.lines().skip(1).zip(&rows) {
        let fields: Vec<&str> = game.split('\t').collect();
        let [_, variant, fen, moves] = fields[..] else {
            panic!("{game}")
        };
        pgn += &format!(
            "[Variant \"{variant}\"]\n[FEN \"{fen}\"]\n[Result \"{}\"]\n\n{moves} {}\n\n",
            row[5], row[5]
        );
    }
    let verdicts = verdicts(&["--rules", "online", "--threads", "2"], &pgn);
    assert_eq!(verdicts.len(), 2478);
    assert_eq!(rows.len(), 2478);
    for (verdict, row) in verdicts.iter().zip(&rows) {
        let place = format!("{} game {}: {}", row[0], row[1], verdict["findings"]);
        assert_eq!(verdict["plies"].to_string(), row[4], "{place}");
        assert_eq!(verdict["legal_moves"].to_string(), row[8], "{place}");
        let occurrences = verdict["occurrences"].as_u64().expect("a number").min(5);
        assert_eq!(occurrences.to_string(), row[9], "{place}");
        let fen = verdict["final_fen"].as_str().expect("a FEN");
        let same = Position::from_fen(fen).expect("a FEN").key()
            == Position::from_fen(row[6]).expect("a FEN").key();
        assert!(same, "{fen}, {place}");
        let ended_here = verdict["ended_after"] == verdict["plies"];
        let ending = verdict["ending"].as_str().unwrap_or("none");
        // A dead position that only a search shows is none to the table.
        if ended_here && !(ending == "dead position" && row[7] == "none") {
            assert_eq!(state(ending), row[7], "{place}");
        } else if row[7] != "none" {
            assert_ne!(verdict["ending"], Value::Null, "ended earlier: {place}");
        }
    }
}

#[test]
fn claims_begin_where_the_table_says() {
    let table = data("rules/game_states.jsonl");
    let records: Vec<Value> = table
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let mut pgn = String::new();
    for record in &records {
        let start = record["start"].as_str().expect("a start");
        if start != "startpos" {
            pgn += &format!("[FEN \"{start}\"]\n");
        }
        pgn += &format!(
            "[Event \"x\"]\n\n{} *\n\n",
            record["moves"].as_str().expect("moves")
        );
    }
    let verdicts = verdicts(&[], &pgn);
    assert_eq!(verdicts.len(), records.len());
    for (verdict, record) in verdicts.iter().zip(&records) {
        let findings = verdict["findings"].as_array().expect("findings");
        for (rule, field) in [
            ("threefold repetition", "first_threefold_ply"),
            ("fifty moves", "first_fifty_ply"),
        ] {
            let first = findings
                .iter()
                .flat_map(|finding| finding["claims"].as_array().into_iter().flatten())
                .filter(|claim| claim["rule"] == rule && claim["announcing"].is_null())
                .filter_map(|claim| claim["plies"].as_u64())
                .min();
            let expected = record[field].as_u64();
            // The table goes on where the game was over.
            let over = verdict["ended_after"].as_u64();
            let expected = expected.filter(|&ply| over.is_none_or(|over| ply < over));
            // The table begins with the first move, claims may begin with the set-up.
            let fen = record["start"]
                .as_str()
                .and_then(|fen| fen.split(' ').nth(4));
            let halfmoves: u32 = fen.map_or(0, |number| number.parse().expect("a counter"));
            let from_start = rule == "fifty moves" && halfmoves >= 100 && first == Some(0);
            assert!(
                first == expected || from_start,
                "{rule}: {first:?}, {record}, {verdict}"
            );
        }
    }
}

#[test]
fn threads_change_nothing() {
    let games = data("games/moves_uci.tsv");
    let pgn: String = games
        .lines()
        .skip(1)
        .step_by(12)
        .map(|line| format!("{} *\n", line.rsplit('\t').next().expect("moves")))
        .collect();
    let one = arbiter(&["-", "--threads", "1"], pgn.as_bytes());
    let many = arbiter(&["-", "--threads", "5"], pgn.as_bytes());
    assert_eq!(text(&one.stdout), text(&many.stdout));
}

/// More games than are under way at a time, so that every thread has to notice.
#[cfg(unix)]
#[test]
fn a_long_run_ends_quietly_when_nobody_reads() {
    let path = std::env::temp_dir().join(format!("saavedra-arbiter-{}.pgn", std::process::id()));
    fs::write(&path, "1. e5 *\n".repeat(50_000)).expect("a writable folder");
    let command = format!(
        "{} arbiter --json {} | true",
        env!("CARGO_BIN_EXE_saavedra"),
        path.display()
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .output();
    assert_eq!(text(&output.expect("sh runs").stderr), "");
    fs::remove_file(path).expect("removed");
}

/// The example of README.md is what the command prints.
#[test]
fn the_example_of_the_readme_is_true() {
    let output = arbiter(&["-"], data("games/arbiter.pgn").as_bytes());
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(readme).expect("a README");
    let example = format!("$ saavedra arbiter games.pgn\n{}```", text(&output.stdout));
    assert!(readme.contains(&example), "{example}");
}

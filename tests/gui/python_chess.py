"""Plays and analyses with python-chess as a user's script would: python_chess.py ENGINE WHAT.

python-chess passes over lines that it does not understand with a note in its log; here any note fails.
"""

import logging
import sys

import chess
import chess.engine

SHORT = chess.engine.Limit(white_clock=3.0, black_clock=3.0, white_inc=0.02, black_inc=0.02)


class Notes(logging.Handler):
    """What python-chess found odd."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(self.format(record))


def start(path, **options):
    engine = chess.engine.SimpleEngine.popen_uci(path)
    engine.configure(options)
    return engine


def play(board, white, black, ponder):
    """A whole game, or its first 200 plies; White perhaps ponders."""
    game = object()
    while not board.is_game_over(claim_draw=True) and board.ply() < 200:
        engine = white if board.turn else black
        answer = engine.play(
            board, SHORT, game=game, info=chess.engine.INFO_ALL, ponder=ponder and board.turn
        )
        assert answer.move in board.legal_moves, answer
        # What was thought while pondering is not repeated when the answer comes at once.
        if answer.info or not ponder:
            assert "score" in answer.info and answer.info["pv"][0] == answer.move, answer
        board.push(answer.move)
    assert board.ply() > 20 and (board.ply() == 200 or board.outcome(claim_draw=True)), board.fen()


def game(path):
    with start(path, Hash=8) as white, start(path, Hash=8) as black:
        play(chess.Board(), white, black, ponder=False)


def ponder(path):
    with start(path, Hash=8) as white, start(path, Hash=8) as black:
        play(chess.Board(), white, black, ponder=True)


def chess960(path):
    # King on b1 and rooks on a1 and c1: every castling is an odd one.
    board = chess.Board("rkrbbnnq/pppppppp/8/8/8/8/PPPPPPPP/RKRBBNNQ w CAca - 0 1", chess960=True)
    with start(path, Hash=8) as white, start(path, Hash=8) as black:
        play(board, white, black, ponder=False)
        castling = chess.Board("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/R1K4R w HAgb - 0 1", chess960=True)
        for text in ["c1h1", "c1a1"]:
            move = chess.Move.from_uci(text)
            assert castling.is_castling(move)
            answer = white.play(castling, SHORT, root_moves=[move])
            assert answer.move == move, answer


def analysis(path):
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
    with start(path, Threads=2, UCI_ShowWDL=True) as engine:
        with engine.analysis(board, chess.engine.Limit(depth=10), multipv=5) as lines:
            for info in lines:
                assert info.get("multipv", 1) <= 5, info
        ends = lines.multipv
        assert [info["multipv"] for info in ends] == [1, 2, 3, 4, 5], ends
        assert len({info["pv"][0] for info in ends}) == 5, ends
        scores = [info["score"].relative.score(mate_score=100000) for info in ends]
        assert scores == sorted(scores, reverse=True), scores
        assert all(info["depth"] >= 10 and info["wdl"] for info in ends), ends
        # Without an end, and left early.
        with engine.analysis(board) as lines:
            for info in lines:
                if info.get("depth", 0) >= 6:
                    break
        assert lines.wait().move in board.legal_moves
        mate = chess.Board("k7/8/1K6/8/8/8/8/7R w - - 0 1")
        info = engine.analyse(mate, chess.engine.Limit(depth=5))
        assert info["score"].white() == chess.engine.Mate(1), info


def main():
    _, path, what = sys.argv
    notes = Notes()
    logging.getLogger("chess.engine").addHandler(notes)
    {"game": game, "ponder": ponder, "chess960": chess960, "analysis": analysis}[what](path)
    for line in notes.lines:
        print(line, file=sys.stderr)
    sys.exit(1 if notes.lines else 0)


if __name__ == "__main__":
    main()

//! The numbers of the search, one line each: default, range and tuning step.
//!
//! In a normal build each is a constant behind a function of its name. With `--features tune` each is
//! a UCI spin option of the same name, listed by `all()` and changed by `set()`, so that an SPSA tuner
//! can move it. What a number means stands with the rule that reads it.

use std::fmt;

/// One number that a tuner may change.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The name of the function and of the UCI option.
    pub name: &'static str,
    /// The value of a normal build.
    pub default: i32,
    /// Smallest sensible value.
    pub min: i32,
    /// Largest sensible value.
    pub max: i32,
    /// A step that a match of a few thousand games can tell apart.
    pub step: i32,
}

/// The `option` line of the handshake, without that word.
impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Param {
            name,
            default,
            min,
            max,
            ..
        } = self;
        write!(
            f,
            "name {name} type spin default {default} min {min} max {max}"
        )
    }
}

macro_rules! params {
    ($($name:ident = $default:literal, $min:literal ..= $max:literal, step $step:literal;)*) => {
        /// Every number, in the order of this file.
        pub const ALL: &[Param] = &[$(Param {
            name: stringify!($name), default: $default, min: $min, max: $max, step: $step,
        }),*];

        $(
            #[cfg(not(feature = "tune"))]
            #[doc = concat!("`", stringify!($name), "`, ", stringify!($default), " by default.")]
            pub const fn $name() -> i32 {
                $default
            }

            #[cfg(feature = "tune")]
            #[doc = concat!("`", stringify!($name), "`, ", stringify!($default), " by default.")]
            pub fn $name() -> i32 {
                tuned::$name.load(std::sync::atomic::Ordering::Relaxed)
            }
        )*

        #[cfg(feature = "tune")]
        #[allow(non_upper_case_globals)]
        mod tuned {
            use std::sync::atomic::AtomicI32;
            $(pub static $name: AtomicI32 = AtomicI32::new($default);)*
        }

        /// Changes the number called `name`; false if there is none or the value is out of range.
        #[cfg(feature = "tune")]
        pub fn set(name: &str, value: &str) -> bool {
            let Ok(value) = value.parse::<i32>() else { return false };
            match name {
                $(stringify!($name) if ($min..=$max).contains(&value) => {
                    tuned::$name.store(value, std::sync::atomic::Ordering::Relaxed);
                    true
                })*
                _ => false,
            }
        }
    };
}

params! {
    // Aspiration windows: half width in centipawns, growth in percent.
    aspiration_delta = 14, 5..=50, step 3;
    aspiration_growth = 60, 20..=150, step 10;

    // Reverse futility: margin per ply, less when improving.
    rfp_depth = 8, 4..=12, step 1;
    rfp_margin = 78, 30..=160, step 8;
    rfp_improving = 60, 0..=160, step 10;

    // Razoring: margin per ply squared.
    razor_depth = 4, 2..=7, step 1;
    razor_base = 220, 80..=500, step 25;
    razor_margin = 160, 50..=350, step 20;

    // Null move: least depth, reduction base, depth divisor, eval divisor and what it adds at most;
    // from verify_depth on the result is verified.
    nmp_depth = 3, 1..=6, step 1;
    nmp_base = 4, 2..=6, step 1;
    nmp_depth_div = 4, 2..=8, step 1;
    nmp_eval_div = 200, 80..=400, step 20;
    nmp_eval_max = 3, 1..=6, step 1;
    nmp_verify_depth = 14, 8..=24, step 2;

    // Internal iterative reduction.
    iir_depth = 4, 2..=8, step 1;

    // Late move pruning: quiet moves searched are base + depth², half of that when not improving.
    lmp_depth = 8, 4..=12, step 1;
    lmp_base = 4, 1..=10, step 1;

    // Futility of single quiet moves.
    futility_depth = 8, 4..=12, step 1;
    futility_base = 150, 20..=250, step 12;
    futility_margin = 120, 30..=200, step 10;

    // History pruning: quiets with a history below this per ply.
    history_depth = 5, 2..=10, step 1;
    history_margin = 5000, 500..=8000, step 300;

    // SEE pruning: centipawns per ply for quiets, per ply squared for noisy moves.
    see_depth = 9, 4..=14, step 1;
    see_quiet = 60, 20..=150, step 8;
    see_noisy = 28, 8..=80, step 4;

    // Late move reductions, in 1/1024 plies.
    lmr_base = 800, 0..=2000, step 80;
    lmr_scale = 470, 200..=900, step 30;
    lmr_noisy_base = 0, -1000..=1000, step 80;
    lmr_noisy_scale = 320, 100..=700, step 30;
    lmr_history_div = 9000, 3000..=20000, step 600;
    lmr_pv = 1024, 0..=2048, step 128;
    lmr_cut_node = 1280, 0..=3072, step 128;
    lmr_not_improving = 768, 0..=2048, step 128;
    lmr_noisy_hash = 768, 0..=2048, step 128;
    lmr_killer = 1024, 0..=2048, step 128;
    lmr_check = 2048, 0..=4096, step 128;
    lmr_cutoffs = 1024, 0..=3072, step 128;
    many_cutoffs = 3, 1..=8, step 1;
    lmr_doubt = 10, 0..=64, step 4;

    // A ply less once alpha is raised, up to this depth.
    raised_depth = 10, 0..=20, step 1;

    // Hindsight: a ply more or less after a reduction of so many; both evals together of a promise.
    hindsight_deeper = 3, 1..=20, step 1;
    hindsight_shallower = 2, 1..=20, step 1;
    hindsight_margin = 150, 20..=500, step 20;

    // Singular extensions: least depth, how much less deep the hash entry may be, margin per ply,
    // margin of a double extension; plies given back when other moves are as good.
    singular_depth = 7, 5..=10, step 1;
    singular_hash_depth = 3, 1..=6, step 1;
    singular_margin = 2, 1..=5, step 1;
    double_margin = 18, 5..=60, step 4;
    negative_beta = 2, 0..=3, step 1;
    negative_cut_node = 1, 0..=3, step 1;

    // The hash is not believed from this fifty-move counter on.
    hash_halfmoves = 90, 60..=100, step 5;

    // History: bonus and malus per ply, with a cap.
    history_bonus = 160, 50..=400, step 16;
    history_bonus_max = 1600, 500..=3500, step 120;

    // Continuation history: share of the bonus, in 1/1024, for the move that left no good answer and for
    // one that the hash knows to refute; bonus for a centipawn that a move gains, and at most; bonus for
    // a move that had to be searched again.
    history_unanswered = 512, 0..=2048, step 64;
    history_hash = 512, 0..=2048, step 64;
    history_gain = 4, 0..=16, step 1;
    history_gain_max = 1000, 100..=3000, step 100;
    history_research = 800, 0..=3000, step 64;

    // Order: what a noisy move may lose per unit of its history; a quiet move to or from the reach of
    // lesser men, in units of history for each minor piece's worth; a check that loses little.
    noisy_history_div = 64, 16..=512, step 8;
    flight = 4000, 0..=16000, step 400;
    check = 8000, 0..=24000, step 800;
    check_loss = 75, 0..=300, step 15;

    // Correction history: weights of the averages in 1/1024, and how slowly they move.
    correction_pawns = 384, 0..=1536, step 64;
    correction_pieces = 256, 0..=1536, step 64;
    correction_moves = 256, 0..=1536, step 64;
    correction_inertia = 200, 64..=1024, step 30;

    // ProbCut: least depth, plies less, margin above beta.
    probcut_depth = 5, 3..=10, step 1;
    probcut_reduction = 4, 2..=6, step 1;
    probcut_margin = 180, 80..=400, step 20;

    // Second search of a reduced move: a ply more or less.
    deeper_base = 40, 0..=200, step 10;
    deeper_margin = 4, 0..=20, step 1;
    shallower_margin = 10, 0..=60, step 4;

    // Quiescence: margin of a capture, and captures searched before all but recaptures are given up.
    delta_margin = 160, 50..=400, step 20;
    late_captures = 3, 1..=8, step 1;

    // Time management: shares of the remaining clock, of the last move before a control, and how the
    // share is stretched, in thousandths; the fall of the score that doubles it, in centipawns.
    time_share = 48, 20..=100, step 5;
    time_increment = 700, 300..=1000, step 50;
    time_hard_factor = 4500, 2000..=8000, step 400;
    time_hard_share = 500, 300..=800, step 50;
    time_last_share = 800, 500..=950, step 50;
    time_last_hard_share = 900, 500..=950, step 50;
    time_unstable = 1350, 1000..=2000, step 60;
    time_stable = 60, 10..=120, step 10;
    time_effort_base = 1750, 1200..=2500, step 80;
    time_effort_share = 1150, 500..=2000, step 80;
    time_fall = 120, 40..=400, step 20;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_lies_in_its_range_and_can_move() {
        for param in ALL {
            assert!(
                (param.min..=param.max).contains(&param.default),
                "{param:?}"
            );
            assert!(
                param.step > 0 && param.step <= param.max - param.min,
                "{param:?}"
            );
        }
    }
}

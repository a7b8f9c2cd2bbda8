//! Saavedra
pub mod board;
pub mod clock;
pub mod engine;
pub mod eval;
pub mod limits;
pub mod params;
pub mod rules;
pub mod score;
pub mod search;
pub mod tt;
pub mod uci;
pub mod window;

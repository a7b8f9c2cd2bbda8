//! The file of a network.
//!
//! ```text
//!   0  8  "SAAVEDRA"
//!   8  4  version, 2
//!  12  4  H, size of the hidden layer, a multiple of 32
//!  16  4  output buckets
//!  20  4  flags: 1 mirrored, the others 0
//!  24  4  scale: centipawns of an output of 1
//!  28  4  unused
//!  32  8  checksum: FNV-1a of all other bytes
//!  40 24  unused
//!  64 192 note on the training, UTF-8, filled up with zeros
//! 256     i16 feature weights [768][H], feature biases [H], output weights [buckets][2][H];
//!         i32 output biases [buckets]; filled up with zeros to a multiple of 64 bytes
//! ```
//!
//! Little-endian. Feature weights and biases are in 1/[`QA`], output weights in 1/[`QB`], output biases
//! in 1/([`QA`]² [`QB`] / 2^[`SHIFT`]). These are finer than the customary 255 and 64, because rounding
//! to those changed evaluations by 6 to 12 centipawns on average.

use std::io;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use thiserror::Error;

use super::features::{FEATURES, MEN, largest_weights};
use super::kernels::{BLOCK, Block};

/// A neuron of 1.
pub const QA: i32 = 2000;
/// An output weight of 1.
pub const QB: i32 = 1024;
/// Squared neurons are shifted right by this, so that they fit 16 bits.
pub const SHIFT: u32 = 8;
/// A neuron within this before it is rounded does not overflow after: 32 weights and a bias change by half
/// a unit each.
pub const NEURON_LIMIT: f32 = (i16::MAX as f32 - 0.5 * (MEN + 1) as f32) / QA as f32;
/// Sums of as many output weights, without their signs, never overflow.
const OUTPUT_SUM_LIMIT: i64 = (i32::MAX / ((QA * QA) >> SHIFT)) as i64;
const MAGIC: &[u8; 8] = b"SAAVEDRA";
const VERSION: u32 = 2;
const MIRRORED: u32 = 1;
const CHECKSUM: Range<usize> = 32..40;
const NOTE: Range<usize> = 64..256;
const MAX_HIDDEN: usize = 4096;
const MAX_BUCKETS: usize = 32;
const LARGEST_FILE: u64 = 64 << 20;
/// Centipawns of an output of 1 that make sense.
const SCALES: RangeInclusive<i32> = 1..=10_000;

/// A network: what its file says, ready to be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Size of the hidden layer.
    pub hidden: usize,
    /// Sets of output weights, chosen by the number of men.
    pub buckets: usize,
    /// Each side sees its king on the left half of the board.
    pub mirrored: bool,
    /// Centipawns of an output of 1.
    pub scale: i32,
    /// What it was trained on.
    pub note: String,
    /// `[feature][neuron]`, in 1/QA.
    pub feature_weights: Vec<Block>,
    /// `[neuron]`, in 1/QA.
    pub feature_biases: Vec<Block>,
    /// `[bucket][ours, theirs][neuron]`, in 1/QB.
    pub output_weights: Vec<Block>,
    /// `[bucket]`, in 1/(QA² QB / 2^SHIFT).
    pub output_biases: Vec<i32>,
}

/// Why a file is not a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// It does not begin with the magic word.
    #[error("not a Saavedra network")]
    Magic,
    /// It was made for another version.
    #[error("version {0} of the network format is not known")]
    Version(u32),
    /// The shape makes no sense.
    #[error("a hidden layer of {hidden} and {buckets} output buckets cannot be used")]
    Shape {
        /// Size of the hidden layer.
        hidden: u32,
        /// Output buckets.
        buckets: u32,
    },
    /// Longer or shorter than its shape says.
    #[error("{found} bytes long instead of {expected}")]
    Length {
        /// Bytes that the shape asks for.
        expected: usize,
        /// Bytes of the file.
        found: usize,
    },
    /// Flags that are not known, or a scale that makes no sense.
    #[error("unknown flags {flags:#x} or useless scale {scale}")]
    Header {
        /// Flags.
        flags: u32,
        /// Centipawns of an output of 1.
        scale: i32,
    },
    /// Changed since it was written.
    #[error("damaged: the checksum is wrong")]
    Checksum,
    /// A weight that overflows the arithmetic.
    #[error("a weight is out of range")]
    Weight,
}

/// Why a network was not loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A folder, a device, or too large to be a network.
    #[error("not a file that could be a network")]
    NotAFile,
    /// The system says why.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file holds something else.
    #[error(transparent)]
    Format(#[from] FormatError),
}

impl Network {
    /// Reads a file.
    ///
    /// # Errors
    /// Says why it cannot be used.
    pub fn read(path: &Path) -> Result<Network, LoadError> {
        let metadata = std::fs::metadata(path)?;
        // A device would be read for ever.
        if !metadata.is_file() || metadata.len() > LARGEST_FILE {
            return Err(LoadError::NotAFile);
        }
        Ok(Network::from_bytes(&std::fs::read(path)?)?)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, FormatError> {
        if !bytes.starts_with(MAGIC) {
            return Err(FormatError::Magic);
        }
        let too_short = FormatError::Length {
            expected: NOTE.end,
            found: bytes.len(),
        };
        let Some((header, data)) = bytes.split_at_checked(NOTE.end) else {
            return Err(too_short);
        };
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        if word(8) != VERSION {
            return Err(FormatError::Version(word(8)));
        }
        let (hidden, buckets) = (word(12) as usize, word(16) as usize);
        let is_usable = (1..=MAX_HIDDEN).contains(&hidden)
            && hidden.is_multiple_of(BLOCK)
            && (1..=MAX_BUCKETS).contains(&buckets);
        if !is_usable {
            return Err(FormatError::Shape {
                hidden: word(12),
                buckets: word(16),
            });
        }
        let expected = NOTE.end + data_len(hidden, buckets);
        if bytes.len() != expected {
            return Err(FormatError::Length {
                expected,
                found: bytes.len(),
            });
        }
        let checksum = u64::from(word(32)) | u64::from(word(36)) << 32;
        if checksum != checksum_of(bytes) {
            return Err(FormatError::Checksum);
        }
        let (flags, scale) = (word(20), word(24) as i32);
        if flags & !MIRRORED != 0 || !SCALES.contains(&scale) {
            return Err(FormatError::Header { flags, scale });
        }
        let mut shorts = data
            .as_chunks()
            .0
            .iter()
            .map(|&pair| i16::from_le_bytes(pair));
        let mut take = |count: usize| blocks(shorts.by_ref().take(count));
        let feature_weights = take(FEATURES * hidden);
        let feature_biases = take(hidden);
        let output_weights = take(buckets * 2 * hidden);
        let at = |blocks: &[Block], index: usize| f32::from(blocks[index / BLOCK].0[index % BLOCK]);
        let weight = |feature, neuron| at(&feature_weights, feature * hidden + neuron);
        let overflows = |(neuron, weights): (usize, [f32; MEN])| {
            at(&feature_biases, neuron).abs() + weights.iter().sum::<f32>() > f32::from(i16::MAX)
        };
        let output_sum = |bucket: &[Block]| -> i64 {
            let weights = bucket.iter().flat_map(|block| block.0);
            weights.map(|weight| i64::from(weight).abs()).sum()
        };
        let mut by_bucket = output_weights.chunks(2 * hidden / BLOCK);
        if largest_weights(hidden, weight).enumerate().any(overflows)
            || by_bucket.any(|bucket| output_sum(bucket) > OUTPUT_SUM_LIMIT)
        {
            return Err(FormatError::Weight);
        }
        let biases_at = 2 * (FEATURES + 1 + 2 * buckets) * hidden;
        let output_biases = (data[biases_at..].as_chunks().0.iter())
            .take(buckets)
            .map(|&quad| i32::from_le_bytes(quad))
            .collect();
        let note = String::from_utf8_lossy(&header[NOTE]);
        Ok(Network {
            hidden,
            buckets,
            mirrored: flags & MIRRORED != 0,
            scale,
            note: note.trim_end_matches('\0').to_string(),
            feature_weights,
            feature_biases,
            output_weights,
            output_biases,
        })
    }

    /// The bytes of its file. A note that is too long is cut.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; NOTE.end];
        bytes[..8].copy_from_slice(MAGIC);
        let flags = if self.mirrored { MIRRORED } else { 0 };
        let words = [
            VERSION,
            self.hidden as u32,
            self.buckets as u32,
            flags,
            self.scale as u32,
        ];
        for (index, word) in words.into_iter().enumerate() {
            bytes[8 + 4 * index..][..4].copy_from_slice(&word.to_le_bytes());
        }
        let cut = self.note.floor_char_boundary(NOTE.len());
        bytes[NOTE.start..][..cut].copy_from_slice(&self.note.as_bytes()[..cut]);
        for weights in [
            &self.feature_weights,
            &self.feature_biases,
            &self.output_weights,
        ] {
            let weights = weights.iter().flat_map(|block| block.0);
            bytes.extend(weights.flat_map(i16::to_le_bytes));
        }
        bytes.extend(
            self.output_biases
                .iter()
                .flat_map(|bias| bias.to_le_bytes()),
        );
        bytes.resize(NOTE.end + data_len(self.hidden, self.buckets), 0);
        let checksum = checksum_of(&bytes);
        bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }
}

/// Weights in the form that kernels read. The last block is filled up with zeros.
pub fn blocks(weights: impl IntoIterator<Item = i16>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (index, weight) in weights.into_iter().enumerate() {
        if index % BLOCK == 0 {
            blocks.push(Block::ZERO);
        }
        blocks[index / BLOCK].0[index % BLOCK] = weight;
    }
    blocks
}

fn data_len(hidden: usize, buckets: usize) -> usize {
    let shorts = (FEATURES + 1 + 2 * buckets) * hidden;
    (2 * shorts + 4 * buckets).next_multiple_of(64)
}

/// Of all bytes but its own. <http://www.isthe.com/chongo/tech/comp/fnv/>
fn checksum_of(bytes: &[u8]) -> u64 {
    let (before, after) = (&bytes[..CHECKSUM.start], &bytes[CHECKSUM.end..]);
    before
        .iter()
        .chain(after)
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> Network {
        let (hidden, buckets) = (64, 2);
        let mut rng = fastrand::Rng::with_seed(3);
        let mut draw = |count: usize| blocks((0..count).map(|_| rng.i16(-120..=120)));
        Network {
            hidden,
            buckets,
            mirrored: true,
            scale: 400,
            note: "seed 3 ♞".to_string(),
            feature_weights: draw(FEATURES * hidden),
            feature_biases: draw(hidden),
            output_weights: draw(buckets * 2 * hidden),
            output_biases: vec![-7, 70_000],
        }
    }

    #[test]
    fn what_was_written_is_read_again() {
        let bytes = network().to_bytes();
        assert!(bytes.len().is_multiple_of(64));
        assert_eq!(Network::from_bytes(&bytes), Ok(network()));
    }

    #[test]
    fn a_bad_file_is_named_for_what_it_is() {
        let good = network().to_bytes();
        let fault = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            Network::from_bytes(&bytes).unwrap_err()
        };
        assert_eq!(fault(&|bytes| bytes.clear()), FormatError::Magic);
        assert_eq!(fault(&|bytes| bytes[0] = 0), FormatError::Magic);
        assert_eq!(fault(&|bytes| bytes[8] = 9), FormatError::Version(9));
        let shape = |hidden, buckets| FormatError::Shape { hidden, buckets };
        assert_eq!(fault(&|bytes| bytes[12] = 63), shape(63, 2));
        assert_eq!(fault(&|bytes| bytes[16] = 0), shape(64, 0));
        let length = |found| FormatError::Length {
            expected: good.len(),
            found,
        };
        assert_eq!(fault(&|bytes| bytes.push(0)), length(good.len() + 1));
        assert_eq!(fault(&|bytes| _ = bytes.pop()), length(good.len() - 1));
        assert!(matches!(
            fault(&|bytes| bytes.truncate(100)),
            FormatError::Length { .. }
        ));
        for at in [20, 24, 28, 33, 45, 70, 5000] {
            assert_eq!(fault(&|bytes| bytes[at] ^= 1), FormatError::Checksum);
        }
        let mut upside_down = network();
        upside_down.scale = -400;
        let header = FormatError::Header {
            flags: 1,
            scale: -400,
        };
        assert_eq!(Network::from_bytes(&upside_down.to_bytes()), Err(header));
    }

    #[test]
    fn no_more_is_refused_than_what_overflows() {
        let read = |network: &Network| Network::from_bytes(&network.to_bytes());
        // The sixth of 64 neurons; rows of weights are two blocks long.
        let mut network = network();
        for feature in 0..FEATURES {
            let weight = if feature % 64 < 31 { -1000 } else { 0 };
            network.feature_weights[2 * feature].0[5] = weight;
        }
        network.feature_weights[2 * 63].0[5] = 1700;
        network.feature_biases[0].0[5] = 67;
        assert_eq!(read(&network), Ok(network.clone()));
        network.feature_biases[0].0[5] = -68;
        assert_eq!(read(&network), Err(FormatError::Weight));
    }
}

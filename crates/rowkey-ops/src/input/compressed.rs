//! Bytes that are packed, recognised by how they begin.

use std::io::{self, BufReader, Read};

use super::Stream;

/// How data is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// As `gzip` does; several files one behind another are one.
    Gzip,
    /// As `zstd` does.
    Zstd,
}

impl Compression {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// How data is packed that begins so.
    pub(super) fn of(head: &[u8]) -> Self {
        match head {
            [0x1F, 0x8B, ..] => Self::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// The bytes as they were before they were packed.
    ///
    /// # Errors
    /// When they cannot be unpacked here.
    pub(super) fn unpack(self, bytes: impl Read + Send + 'static) -> io::Result<Stream> {
        let bytes = BufReader::with_capacity(1 << 17, bytes);
        Ok(match self {
            Self::None => Box::new(bytes),
            Self::Gzip => Box::new(Told { bytes: flate2::bufread::MultiGzDecoder::new(bytes), name: "gzip" }),
            #[cfg(feature = "zstd")]
            Self::Zstd => {
                let bytes = zstd::stream::read::Decoder::with_buffer(bytes)?;
                Box::new(Told { bytes, name: "zstd" })
            }
            #[cfg(not(feature = "zstd"))]
            Self::Zstd => {
                let cure = "this rowkey was built without zstd; unpack the data first, as with `zstd -dc`";
                return Err(io::Error::other(cure));
            }
        })
    }
}

/// A decoder whose errors say what to do.
struct Told<R> {
    bytes: R,
    name: &'static str,
}

impl<R: Read> Read for Told<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(buffer).map_err(|error| {
            if error.kind() == io::ErrorKind::Interrupted {
                return error;
            }
            let name = self.name;
            io::Error::other(match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    format!("the {name} data ends in the middle; is the file complete?")
                }
                _ => format!("the {name} data cannot be unpacked ({error}); is the file damaged?"),
            })
        })
    }
}

//! How is a value compared with what a filter looks for?

/// How a cell's part and the comparator's value must relate: the cell's part stands on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// Below.
    Less,
    /// Below or the same.
    LessOrEqual,
    /// The same.
    Equal,
    /// Not the same.
    NotEqual,
    /// Above or the same.
    GreaterOrEqual,
    /// Above.
    Greater,
    /// Nothing is let through, as in HBase.
    NoOp,
}

impl CompareOp {
    /// Every operator.
    pub const ALL: [Self; 7] = [
        Self::Less,
        Self::LessOrEqual,
        Self::Equal,
        Self::NotEqual,
        Self::GreaterOrEqual,
        Self::Greater,
        Self::NoOp,
    ];
}

/// What a [`Comparator::Bit`] does to the bits of both values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BitOp {
    /// Both set.
    And,
    /// One set.
    Or,
    /// Exactly one set.
    Xor,
}

/// What a cell's row, family, qualifier or value is compared with.
///
/// `Substring`, `Regex`, `Bit` and `Null` know only "the same" and "not the same": of the operators,
/// [`CompareOp::Equal`] and [`CompareOp::NotEqual`] make sense with them. In an order, what is not the same counts as
/// below the comparator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// Unsigned bytes.
    Binary(Vec<u8>),
    /// The first bytes only: as many as this value has.
    BinaryPrefix(Vec<u8>),
    /// Contains a text, whatever the case of letters.
    Substring(String),
    /// A regular expression that matches anywhere, with `.` matching line ends. HBase takes Java's syntax; the embedded
    /// store takes what Java and Rust's `regex` share, and refuses the rest (look-around, back references).
    Regex {
        /// The expression.
        pattern: String,
        /// Whether letters match whatever their case.
        ignore_case: bool,
    },
    /// The bits of two values of equal length give a result that is not all zero.
    Bit {
        /// The comparator's bits.
        value: Vec<u8>,
        /// What is done with the bits.
        op: BitOp,
    },
    /// No value at all. A cell always has one, so nothing is the same as this.
    Null,
    /// A number of 8 bytes, two's complement, big-endian. A value of another length is a mistake, which HBase answers
    /// with an error or a wrong number; the embedded store takes it as not the same, and below.
    Long(i64),
}

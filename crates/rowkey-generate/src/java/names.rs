//! What fields and tables are called in Java, and the types of their values.

use rowkey_core::lowered::{Back, Codec, CodecField, LoweredStep, OnNull};
use rowkey_core::types::{Kind, OctetsType};
use rowkey_core::{FieldId, Type};

use crate::names::{camel, pascal, unique, without_namespace};
use crate::{Design, IndexDesign};

/// Words that Java keeps to itself, and variables of the generated code.
const TAKEN: [&str; 59] = [
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "try",
    "void",
    "volatile",
    "while",
    "true",
    "false",
    "null",
    "_",
    "record",
    "out",
    "draws",
    "other",
    "that",
];

/// Whether Java or generated code has a name for itself.
pub(super) fn is_taken(name: &str) -> bool {
    TAKEN.contains(&name) || is_local(name)
}

/// Names and types of a table.
#[derive(Debug, Clone)]
pub(super) struct Names {
    /// The class of the key: `OrdersKey`.
    pub(super) class: String,
    /// What the other classes begin with: `Orders`.
    pub(super) stem: String,
    /// The class of each index table: `OrdersBySeller`.
    pub(super) indexes: Vec<String>,
    fields: Vec<JavaField>,
}

/// A field in Java.
#[derive(Debug, Clone)]
pub(super) struct JavaField {
    /// Its name in the table file.
    pub(super) name: String,
    /// Its name in Java.
    pub(super) java: String,
    pub(super) ty: Type,
    /// Whether null is one of its values.
    pub(super) nullable: bool,
    pub(super) holds: Holds,
    /// The smallest and the largest number of its type.
    pub(super) range: (i128, i128),
}

/// What a variable of a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Long,
    /// A long whose bits are an unsigned number.
    Unsigned,
    BigInteger,
    BigDecimal,
    Float,
    Double,
    Boolean,
    Text,
    Bytes,
    Uuid,
    /// An address of so many bytes.
    Octets(usize),
}

impl Names {
    pub(super) fn of(design: &Design) -> Self {
        let stem = pascal(without_namespace(&design.table));
        let class = format!("{stem}Key");
        let own = [
            "Record",
            "KeyException",
            "KeyReader",
            "KeyWriter",
            "CaseTable",
            "Xxh3",
            "Merge",
            "Range",
            "Cell",
            "Entry",
            "Ranges",
            "Group",
            "RangeBound",
            "RangePiece",
            "RangeQuery",
        ];
        let indexes = design.indexes.iter().map(index_class).collect::<Vec<_>>();
        let indexes = unique(indexes, |name| {
            own.contains(&name)
                || *name == class
                || IMPORTED.iter().any(|(import, _)| *import == name)
                || LANG.contains(&name)
        });
        let names = design.codec.fields.iter().map(|field| camel(&field.name));
        let names = unique(names, |name| TAKEN.contains(&name) || is_local(name));
        let fields = design.codec.fields.iter().zip(names).enumerate();
        let fields = fields.map(|(id, (field, java))| JavaField::of(design, FieldId(id), field, java));
        Self { class, stem, indexes, fields: fields.collect() }
    }

    pub(super) fn field(&self, id: FieldId) -> &JavaField {
        self.fields.get(id.0).expect("a field id comes from the fields that made it")
    }

    pub(super) fn fields(&self) -> &[JavaField] {
        &self.fields
    }
}

/// Classes that generated code may import, with their package.
pub(super) const IMPORTED: [(&str, &str); 22] = [
    ("BigDecimal", "java.math"),
    ("BigInteger", "java.math"),
    ("ByteBuffer", "java.nio"),
    ("CharacterCodingException", "java.nio.charset"),
    ("StandardCharsets", "java.nio.charset"),
    ("MessageDigest", "java.security"),
    ("NoSuchAlgorithmException", "java.security"),
    ("ArrayList", "java.util"),
    ("Arrays", "java.util"),
    ("Collections", "java.util"),
    ("HashMap", "java.util"),
    ("Iterator", "java.util"),
    ("List", "java.util"),
    ("Map", "java.util"),
    ("NoSuchElementException", "java.util"),
    ("Objects", "java.util"),
    ("UUID", "java.util"),
    ("ToLongFunction", "java.util.function"),
    ("Function", "java.util.function"),
    ("IntUnaryOperator", "java.util.function"),
    ("IntConsumer", "java.util.function"),
    ("CRC32", "java.util.zip"),
];

/// Classes that are there without an import, and are used.
const LANG: [&str; 15] = [
    "Boolean",
    "Character",
    "Double",
    "Float",
    "Integer",
    "Long",
    "Math",
    "Object",
    "String",
    "StringBuilder",
    "IllegalArgumentException",
    "IllegalStateException",
    "Iterable",
    "Override",
    "System",
];

fn index_class(index: &IndexDesign) -> String {
    pascal(without_namespace(&index.table))
}

/// Whether a name is one of the numbered variables of generated code.
fn is_local(name: &str) -> bool {
    let word = name.trim_end_matches(|character: char| character.is_ascii_digit());
    word.len() < name.len()
        && ["from", "to", "number", "digest", "letter", "part", "metric", "bytes", "stage"].contains(&word)
}

impl JavaField {
    fn of(design: &Design, id: FieldId, field: &CodecField, java: String) -> Self {
        let codecs = std::iter::once(&design.codec).chain(design.indexes.iter().map(|index| &index.codec));
        // A part with a mark may say null of a field that is not declared so.
        let marked = codecs.clone().any(|codec| has_null_mark(codec, id));
        let nullable = marked
            || codecs.filter_map(|codec| codec.fields.get(id.0)).any(|field| field.nullable && field.in_key);
        Self {
            name: field.name.clone(),
            java,
            ty: field.ty,
            nullable: nullable || field.nullable,
            holds: holds(field),
            range: field.range.unwrap_or((i128::MIN, i128::MAX)),
        }
    }

    /// Whether a variable of it can hold null though its values are not: the caller's mistake.
    pub(super) fn is_reference(&self) -> bool {
        !matches!(self.holds, Holds::Long | Holds::Unsigned | Holds::Float | Holds::Double | Holds::Boolean)
    }

    /// The type of its variables.
    pub(super) fn java_type(&self) -> &'static str {
        match (self.holds, self.nullable) {
            (Holds::Long | Holds::Unsigned, false) => "long",
            (Holds::Long | Holds::Unsigned, true) => "Long",
            (Holds::BigInteger, _) => "BigInteger",
            (Holds::BigDecimal, _) => "BigDecimal",
            (Holds::Float, false) => "float",
            (Holds::Float, true) => "Float",
            (Holds::Double, false) => "double",
            (Holds::Double, true) => "Double",
            (Holds::Boolean, false) => "boolean",
            (Holds::Boolean, true) => "Boolean",
            (Holds::Text, _) => "String",
            (Holds::Bytes | Holds::Octets(_), _) => "byte[]",
            (Holds::Uuid, _) => "UUID",
        }
    }

    /// What its values are, in a comment.
    pub(super) fn words(&self) -> String {
        let mut words = self.ty.to_string();
        words.push_str(match self.holds {
            Holds::Unsigned => ", an unsigned number: see Long.toUnsignedString",
            Holds::Octets(_) => ", as of InetAddress.getAddress",
            Holds::Long if self.ty.kind() == Kind::Time => ", milliseconds since 1970",
            _ => "",
        });
        if self.nullable {
            words.push_str(", or null");
        }
        words
    }
}

fn has_null_mark(codec: &Codec, id: FieldId) -> bool {
    codec.steps.iter().any(|step| match step {
        LoweredStep::Value(value) if matches!(value.on_null, OnNull::Mark(_)) => match &value.back {
            Back::Field(field) | Back::Undo { field, .. } => *field == id,
            _ => false,
        },
        _ => false,
    })
}

fn holds(field: &CodecField) -> Holds {
    match field.ty.kind() {
        Kind::Integer | Kind::Time => match field.range {
            Some((low, high)) if low >= i64::MIN.into() && high <= i64::MAX.into() => Holds::Long,
            Some((0, high)) if high == u64::MAX.into() => Holds::Unsigned,
            _ => Holds::BigInteger,
        },
        Kind::Float if field.ty.is_single() => Holds::Float,
        Kind::Float => Holds::Double,
        Kind::Numeric => Holds::BigDecimal,
        Kind::Text => Holds::Text,
        Kind::Bytes => Holds::Bytes,
        Kind::Octets(OctetsType::Uuid) => Holds::Uuid,
        Kind::Octets(own) => Holds::Octets(own.width()),
        Kind::Bool => Holds::Boolean,
    }
}

//! The bytes of a record in a sort's temporary file.
//!
//! Its key and its values, each with its kind and, where that does not say it, its length. No other process ever reads them.
//!
//! **Law** (the test below): a record comes back as it was.

use rowkey_core::Value;
use rowkey_core::ordered::Decimal;
use rowkey_core::types::{Octets, OctetsType};

use super::Record;

pub(super) fn write(record: &Record, out: &mut Vec<u8>) {
    write_bytes(&record.key, out);
    for value in &record.values {
        match value {
            Value::Null => out.push(0),
            Value::Int(number) => write_fixed(1, &number.to_be_bytes(), out),
            Value::Float(number) => write_fixed(2, &number.to_be_bytes(), out),
            Value::Numeric(number) => {
                write_fixed(3, &number.coefficient().to_be_bytes(), out);
                out.extend_from_slice(&number.exponent().to_be_bytes());
            }
            Value::Text(text) => {
                out.push(4);
                write_bytes(text.as_bytes(), out);
            }
            Value::Bytes(bytes) => {
                out.push(5);
                write_bytes(bytes, out);
            }
            Value::Time(millis) => write_fixed(6, &millis.to_be_bytes(), out),
            Value::Octets(octets) => {
                out.extend_from_slice(&[7, octets.ty() as u8]);
                out.extend_from_slice(&octets.number().to_be_bytes());
            }
            Value::Bool(bool) => write_fixed(8, &[u8::from(*bool)], out),
            Value::Float32(number) => write_fixed(9, &number.to_be_bytes(), out),
        }
    }
}

fn write_fixed(kind: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(bytes);
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
    out.extend_from_slice(bytes);
}

/// The record of these bytes, which [`write`] made.
pub(super) fn read(bytes: &[u8]) -> Record {
    let mut source = Source(bytes);
    let key = source.bytes().to_vec();
    let mut values = Vec::new();
    while let Some(value) = source.value() {
        values.push(value);
    }
    Record { key, values }
}

struct Source<'a>(&'a [u8]);

impl<'a> Source<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn fixed<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().unwrap_or([0; N])
    }

    fn bytes(&mut self) -> &'a [u8] {
        let length = u64::from_be_bytes(self.fixed());
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    fn value(&mut self) -> Option<Value<'static>> {
        let [kind] = *self.take(1) else { return None };
        Some(match kind {
            1 => Value::Int(i128::from_be_bytes(self.fixed())),
            2 => Value::Float(f64::from_be_bytes(self.fixed())),
            3 => {
                let (coefficient, exponent) =
                    (i128::from_be_bytes(self.fixed()), i32::from_be_bytes(self.fixed()));
                Value::Numeric(Decimal::new(coefficient, exponent).unwrap_or(Decimal::ZERO))
            }
            4 => Value::Text(String::from_utf8_lossy(self.bytes()).into_owned().into()),
            5 => Value::Bytes(self.bytes().to_vec().into()),
            6 => Value::Time(i64::from_be_bytes(self.fixed())),
            9 => Value::Float32(f32::from_be_bytes(self.fixed())),
            7 => {
                let [ty] = self.fixed();
                let number = u128::from_be_bytes(self.fixed());
                Value::Octets(Octets::of_number(*OctetsType::ALL.get(usize::from(ty))?, number))
            }
            8 => Value::Bool(self.fixed() == [1u8]),
            _ => Value::Null,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_was() {
        let values = vec![
            Value::Null,
            Value::Int(-7),
            Value::Float(-0.5),
            Value::Float32(0.1),
            Value::Numeric(Decimal::new(-125, -2).unwrap()),
            Value::Text("ü\0".into()),
            Value::Bytes(vec![0xFF, 0].into()),
            Value::Time(-1),
            Value::uuid([9; 16]),
            Value::Bool(true),
            Value::Bool(false),
            Value::Null,
        ];
        for record in
            [Record { key: b"k\0".to_vec(), values }, Record { key: Vec::new(), values: Vec::new() }]
        {
            let mut bytes = Vec::new();
            write(&record, &mut bytes);
            assert_eq!(read(&bytes), record);
        }
    }
}

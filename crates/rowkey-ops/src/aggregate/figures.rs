//! What is known of many values together?

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rowkey::Value;

/// Figures of a field over many rows. Nulls are rows without a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    /// Rows, those without a value included.
    pub rows: u64,
    /// Values.
    pub values: u64,
    /// The smallest value; null if there is none.
    pub min: Value<'static>,
    /// The largest value; null if there is none.
    pub max: Value<'static>,
    /// The sum of whole or floating-point numbers; null if the field holds anything else, or nothing.
    pub sum: Value<'static>,
}

impl Figures {
    /// Takes a value in.
    pub fn add(&mut self, value: &Value<'_>) {
        self.rows += 1;
        if value.is_null() {
            return;
        }
        self.values += 1;
        if is_beyond(value, &self.min, Ordering::Less) {
            self.min = value.clone().into_owned();
        }
        if is_beyond(value, &self.max, Ordering::Greater) {
            self.max = value.clone().into_owned();
        }
        self.sum = sum(&self.sum, value);
    }

    /// The figures of both.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.rows += other.rows;
        self.values += other.values;
        if is_beyond(&other.min, &self.min, Ordering::Less) {
            self.min = other.min;
        }
        if is_beyond(&other.max, &self.max, Ordering::Greater) {
            self.max = other.max;
        }
        self.sum = sum(&self.sum, &other.sum);
        self
    }

    /// The mean of the values, if they can be added.
    pub fn mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a mean is as exact as a floating-point number")]
        match self.sum {
            Value::Int(sum) => Some(sum as f64 / self.values as f64),
            Value::Float(sum) => Some(sum / self.values as f64),
            _ => None,
        }
    }
}

/// Whether a value lies beyond the one known so far, which may be none yet.
fn is_beyond(value: &Value<'_>, known: &Value<'_>, side: Ordering) -> bool {
    !value.is_null() && (known.is_null() || value.compare(known) == Some(side))
}

fn sum(a: &Value<'_>, b: &Value<'_>) -> Value<'static> {
    match (a, b) {
        (Value::Null, Value::Int(n)) | (Value::Int(n), Value::Null) => Value::Int(*n),
        (Value::Null, Value::Float(n)) | (Value::Float(n), Value::Null) => Value::Float(*n),
        // Integers have 64 bits at most: a sum of 128 bits would take 2^63 rows.
        (Value::Int(a), Value::Int(b)) => Value::Int(a.saturating_add(*b)),
        (Value::Float(a), Value::Float(b)) => Value::Float(a + b),
        _ => Value::Null,
    }
}

/// Figures for each value of a field.
#[derive(Debug, Clone, Default)]
pub struct Groups(BTreeMap<Group, Figures>);

/// A value with an order: null first, then by size. The values of one field are of one kind.
#[derive(Debug, Clone)]
struct Group(Value<'static>);

impl Groups {
    /// Takes a row in; `true` if its group is new.
    pub fn add(&mut self, group: &Value<'_>, value: &Value<'_>) -> bool {
        let groups = self.0.len();
        self.0.entry(Group(group.clone().into_owned())).or_default().add(value);
        self.0.len() > groups
    }

    /// The groups of both.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        for (group, figures) in other.0 {
            let known = self.0.remove(&group).unwrap_or_default();
            self.0.insert(group, known.join(figures));
        }
        self
    }

    /// All groups in the order of their values.
    pub fn into_sorted(self) -> Vec<(Value<'static>, Figures)> {
        self.0.into_iter().map(|(group, figures)| (group.0, figures)).collect()
    }
}

impl Ord for Group {
    fn cmp(&self, other: &Self) -> Ordering {
        let nulls_first = self.0.is_null().cmp(&other.0.is_null()).reverse();
        nulls_first.then_with(|| match (&self.0, &other.0) {
            (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
            (a, b) => a.compare(b).unwrap_or(Ordering::Equal),
        })
    }
}

impl PartialOrd for Group {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Group {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Group {}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(values: &[Value<'static>]) -> Figures {
        let mut figures = Figures::default();
        values.iter().for_each(|value| figures.add(value));
        figures
    }

    #[test]
    fn joined_figures_are_those_of_all_values() {
        let values = [Value::Int(5), Value::Null, Value::Int(-7), Value::Int(5), Value::Null];
        let whole = figures(&values);
        assert_eq!((whole.rows, whole.values, whole.mean()), (5, 3, Some(1.0)));
        assert_eq!((&whole.min, &whole.max), (&Value::Int(-7), &Value::Int(5)));
        for at in 0..=values.len() {
            let (a, b) = values.split_at(at);
            assert_eq!(figures(a).join(figures(b)), whole);
        }
    }

    #[test]
    fn text_has_no_sum_and_nothing_has_no_figures() {
        let text = figures(&[Value::Text("b".into()), Value::Text("a".into())]);
        assert_eq!((&text.min, &text.sum, text.mean()), (&Value::Text("a".into()), &Value::Null, None));
        assert_eq!(figures(&[]).min, Value::Null);
        assert_eq!(figures(&[Value::Null]).mean(), None);
    }
}

//! The figures of a field over many rows, by group.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rowkey_core::Value;

/// Figures of a field over many rows. Nulls are rows without a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    /// Rows, those without a value included.
    pub rows: u64,
    /// Rows with a value.
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
        // Integers have 64 bits at most: a sum of 128 bits would take 2^63 rows.
        (Value::Int(a), Value::Int(b)) => Value::Int(a.saturating_add(*b)),
        _ => match (a.float(), b.float()) {
            (Some(a), Some(b)) => Value::Float(a + b),
            (Some(n), None) if b.is_null() => Value::Float(n),
            (None, Some(n)) if a.is_null() => Value::Float(n),
            _ => Value::Null,
        },
    }
}

/// Figures of some fields for each combination of the values of others.
#[derive(Debug, Clone, Default)]
pub struct Groups(BTreeMap<Group, Tally>);

/// The rows of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped {
    /// What they have in common: a value of each field that they are grouped by.
    pub group: Vec<Value<'static>>,
    /// How many they are.
    pub rows: u64,
    /// The figures of each field that is asked for.
    pub figures: Vec<Figures>,
}

/// Values with an order: by the first that differs, null first, then by size. The values of one field are of one kind.
#[derive(Debug, Clone)]
struct Group(Vec<Value<'static>>);

#[derive(Debug, Clone, Default)]
struct Tally {
    rows: u64,
    figures: Vec<Figures>,
}

impl Groups {
    /// Takes a row in, the same number of values each time; `true` if its group is new.
    pub fn add<'v>(
        &mut self,
        group: impl IntoIterator<Item = &'v Value<'v>>,
        values: impl IntoIterator<Item = &'v Value<'v>>,
    ) -> bool {
        let groups = self.0.len();
        let group = group.into_iter().map(|value| value.clone().into_owned().with_one_zero()).collect();
        let tally = self.0.entry(Group(group)).or_default();
        tally.rows += 1;
        for (nth, value) in values.into_iter().enumerate() {
            if tally.figures.len() == nth {
                tally.figures.push(Figures::default());
            }
            if let Some(figures) = tally.figures.get_mut(nth) {
                figures.add(value);
            }
        }
        self.0.len() > groups
    }

    /// The groups of both.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        for (group, more) in other.0 {
            let known = match self.0.remove(&group) {
                None => more,
                Some(known) => Tally {
                    rows: known.rows + more.rows,
                    figures: known.figures.into_iter().zip(more.figures).map(|(a, b)| a.join(b)).collect(),
                },
            };
            self.0.insert(group, known);
        }
        self
    }

    /// All groups in the order of their values.
    pub fn into_sorted(self) -> Vec<Grouped> {
        let grouped = |(group, tally): (Group, Tally)| Grouped {
            group: group.0,
            rows: tally.rows,
            figures: tally.figures,
        };
        self.0.into_iter().map(grouped).collect()
    }
}

impl Ord for Group {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_value = |(a, b): (&Value<'_>, &Value<'_>)| {
            let nulls_first = a.is_null().cmp(&b.is_null()).reverse();
            nulls_first.then_with(|| a.total_cmp(b))
        };
        let mut values = self.0.iter().zip(&other.0).map(by_value);
        values.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
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
    fn zero_and_minus_zero_are_one_group() {
        let mut groups = [Groups::default(), Groups::default()];
        for (at, number) in [(0, -0.0), (1, 0.0), (1, -0.0), (0, f64::NAN), (1, f64::NAN), (0, -1.0)] {
            groups[at].add(&[Value::Float(number)], &[Value::Int(1)]);
        }
        let [a, b] = groups;
        let found: Vec<_> = a
            .join(b)
            .into_sorted()
            .into_iter()
            .map(|found| (found.group[0].to_string(), found.rows))
            .collect();
        assert_eq!(found, [("-1".to_owned(), 1), ("0".to_owned(), 3), ("NaN".to_owned(), 2)]);
        let single = figures(&[Value::Float32(0.5), Value::Float32(0.25), Value::Null]);
        assert_eq!((single.sum, single.min), (Value::Float(0.75), Value::Float32(0.25)));
    }

    #[test]
    fn groups_of_several_fields_come_in_the_order_of_the_first_that_differs() {
        let mut groups = [Groups::default(), Groups::default()];
        let rows =
            [(0, Some(2), "a"), (1, Some(2), "b"), (1, None, "z"), (0, Some(10), "a"), (1, Some(2), "a")];
        for (at, number, text) in rows {
            let group = [number.map_or(Value::Null, Value::Int), Value::Text(text.into())];
            groups[at].add(&group, []);
        }
        let [a, b] = groups;
        let shown = |found: Grouped| format!("{} {} {}", found.group[0], found.group[1], found.rows);
        let found: Vec<String> = a.join(b).into_sorted().into_iter().map(shown).collect();
        assert_eq!(found, [format!("{} z 1", Value::Null), "2 a 2".into(), "2 b 1".into(), "10 a 1".into()]);
    }

    #[test]
    fn text_has_no_sum_and_nothing_has_no_figures() {
        let text = figures(&[Value::Text("b".into()), Value::Text("a".into())]);
        assert_eq!((&text.min, &text.sum, text.mean()), (&Value::Text("a".into()), &Value::Null, None));
        assert_eq!(figures(&[]).min, Value::Null);
        assert_eq!(figures(&[Value::Null]).mean(), None);
    }
}

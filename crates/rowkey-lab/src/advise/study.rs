//! What is known before the first key is tried?
//!
//! A [`Study`] puts together what the data says and what is asked; it also says what is missing, in words, because advice
//! is only as good as that.

use rowkey::key::{FieldId, Fields};
use rowkey::types::Kind;
use rowkey::{Table, Value};

use super::asked::{Asked, Question, draw};
use super::facts::FieldFacts;
use super::gather::{Data, Found, Wanted, first_pass, second_pass};
use super::sample::Sample;
use super::{AdviseError, Options, Watched, identity};

/// A value with at least this share of the records is a celebrity.
const CELEBRITY: f64 = 0.05;
/// The data is read so many times more when no set of fields tells all records apart.
const RETRIES: usize = 3;
/// So many values of a field are counted exactly.
const COUNTED: usize = 4;

/// What the data says and what is asked of it.
#[derive(Debug, Clone)]
pub struct Study {
    /// The fields.
    pub fields: Fields,
    /// What all records say of each.
    pub facts: Vec<FieldFacts>,
    /// Records that stand for all.
    pub sample: Sample,
    /// What makes a record unique.
    pub identity: Vec<FieldId>,
    /// When a record is written.
    pub time: Option<FieldId>,
    /// What is missing, or was assumed.
    pub notes: Vec<String>,
    /// Values that many records have: the field, the value, its share.
    pub celebrities: Vec<(FieldId, String, f64)>,
    pub(super) asked: Vec<Asked>,
    pub(super) questions: Vec<Question>,
    /// Records of the sample that no key can tell from another.
    pub(super) repeated: usize,
    /// The table that somebody has already.
    pub(super) given: Option<Table>,
}

impl Study {
    /// Reads the data, twice.
    ///
    /// # Errors
    /// When the data cannot be read or has no record, and when a query cannot be read.
    pub fn read(
        data: &Data<'_>,
        fields: &Fields,
        questions: &[Question],
        given: Option<&Table>,
        options: &Options,
        watch: &mut dyn FnMut(Watched) -> bool,
    ) -> Result<Self, AdviseError> {
        if questions.is_empty() {
            return Err(AdviseError::NoQueries);
        }
        let mut reading = |at| {
            watch(Watched::Reading(at));
        };
        let gathered = first_pass(data, fields, options.sample, options.seed, &mut reading)?;
        let rows = gathered.rows;
        let mut study = Self::begin(
            data.label,
            fields,
            gathered.records,
            gathered.facts,
            rows,
            questions,
            given,
            options,
        )?;
        let mut sets = study.sets(&[]);
        let values = study.values();
        let wanted = Wanted { sets: sets.clone(), values: values.clone() };
        let mut found = second_pass(data, fields, &wanted, rows, &mut reading)?;
        // What told the sample apart by luck is in the way of larger sets that tell all records apart.
        let mut wrong = Vec::new();
        for _ in 0..RETRIES {
            if given.is_some() || found.duplicates.contains(&0) || sets.is_empty() {
                break;
            }
            wrong.append(&mut sets);
            sets = study.sets(&wrong);
            let wanted = Wanted { sets: sets.clone(), values: values.clone() };
            found = second_pass(data, fields, &wanted, rows, &mut reading)?;
        }
        study.conclude(&sets, &values, &found, rows);
        Ok(study)
    }

    /// Takes all records from memory.
    ///
    /// # Errors
    /// As [`Study::read`].
    pub fn of_records(
        label: &str,
        fields: &Fields,
        records: Vec<Vec<Value<'static>>>,
        questions: &[Question],
        given: Option<&Table>,
        options: &Options,
    ) -> Result<Self, AdviseError> {
        if questions.is_empty() {
            return Err(AdviseError::NoQueries);
        }
        let rows = records.len() as u64;
        let mut facts = vec![FieldFacts::default(); fields.len()];
        for record in &records {
            facts.iter_mut().zip(record).for_each(|(facts, value)| facts.observe_value(value));
        }
        let mut study = Self::begin(label, fields, records, facts, rows, questions, given, options)?;
        let (sets, values) = (study.sets(&[]), study.values());
        let count = |(field, value): &(FieldId, Value<'static>)| {
            let same = |record: &&Vec<Value<'static>>| {
                record.get(field.0).is_some_and(|own| own.compare(value) == Some(std::cmp::Ordering::Equal))
            };
            study.sample.records.iter().filter(same).count() as u64
        };
        let duplicates = sets.iter().map(|set| identity::repeated(&study.sample, set) as u64).collect();
        let found = Found { duplicates, one_in: 1, counts: values.iter().map(count).collect() };
        study.conclude(&sets, &values, &found, rows);
        Ok(study)
    }

    #[expect(clippy::too_many_arguments, reason = "one call, with everything that is known")]
    fn begin(
        label: &str,
        fields: &Fields,
        records: Vec<Vec<Value<'static>>>,
        facts: Vec<FieldFacts>,
        rows: u64,
        questions: &[Question],
        given: Option<&Table>,
        options: &Options,
    ) -> Result<Self, AdviseError> {
        if rows == 0 || records.is_empty() {
            return Err(AdviseError::NoRecords { data: label.to_owned() });
        }
        if facts.iter().all(FieldFacts::is_constant) {
            let fields = fields.names().collect::<Vec<_>>().join(", ");
            return Err(AdviseError::AllAlike { data: label.to_owned(), fields, rows });
        }
        let time = time_field(fields, &facts, given, options)?;
        let sample = Sample::new(records, options.rows.unwrap_or(rows), fields, time);
        let asked = draw(questions, &sample, fields, options.draws.max(1), options.seed)?;
        let mut study = Self {
            fields: fields.clone(),
            facts,
            sample,
            identity: Vec::new(),
            time,
            notes: Vec::new(),
            celebrities: Vec::new(),
            asked,
            questions: questions.to_vec(),
            repeated: 0,
            given: given.cloned(),
        };
        study.say_what_is_missing(given);
        Ok(study)
    }

    fn say_what_is_missing(&mut self, given: Option<&Table>) {
        let name = |field: FieldId| self.fields.get(field).name.clone();
        let mut notes = Vec::new();
        match self.time {
            None => notes.push(
                "no field is a time: records are taken to be written in the order of the file, so a hot spot that moves with \
                 the time is not seen unless the file is in that order; declare a field as timestamp if one is"
                    .to_owned(),
            ),
            Some(time) => {
                let others = self.fields.iter().filter(|(id, field)| field.ty.kind() == Kind::Time && *id != time);
                if others.count() > 0 {
                    notes.push(format!("records are taken to be written at `{}`; another field: --time", name(time)));
                }
            }
        }
        for (field, _) in self.fields.iter() {
            if self.facts.get(field.0).is_some_and(FieldFacts::is_constant) {
                notes.push(format!(
                    "`{}` has one value in all records: it tells no rows apart and is left out of keys",
                    name(field)
                ));
            }
        }
        for (field, declared) in self.fields.iter() {
            let facts = self.facts.get(field.0);
            if let Some(facts) =
                facts.filter(|facts| declared.ty == rowkey::Type::Text && facts.is_number_as_text())
            {
                notes.push(format!(
                    "`{}` is text, but every value is a whole number: declared as u64 it takes 8 bytes in a key, wherever it stands, instead \
                     of {:.0} and an end mark, and sorts as a number",
                    name(field),
                    facts.mean_text()
                ));
            }
        }
        if given.is_none() && self.asked.iter().all(|asked| asked.columns.is_none()) {
            notes.push(
                "no query says which fields it returns, so all columns are in one family and index tables copy everything or \
                 nothing; add columns = [\"…\"] to [[query]]"
                    .to_owned(),
            );
        }
        self.notes.extend(notes);
    }

    /// Sets of fields that may identify records, the first first.
    fn sets(&self, wrong: &[Vec<FieldId>]) -> Vec<Vec<FieldId>> {
        let mut asked = Vec::new();
        self.asked.iter().for_each(|query| asked.extend(query.shape.fields()));
        let mut sets = identity::sets(&self.sample, &self.fields, &self.facts, &asked, wrong);
        if let Some(given) = self.given.as_ref().filter(|given| !given.identity.is_empty()) {
            sets.insert(0, given.identity.clone());
        }
        sets
    }

    /// Values that may have many records, of the fields that queries ask for.
    fn values(&self) -> Vec<(FieldId, Value<'static>)> {
        let mut fields: Vec<FieldId> =
            self.asked.iter().flat_map(|query| query.shape.equal.clone()).collect();
        fields.sort_unstable();
        fields.dedup();
        let most = |field: FieldId| {
            let heavy = self.facts.get(field.0).map(|facts| facts.heavy(COUNTED)).unwrap_or_default();
            heavy.into_iter().map(move |(value, _)| (field, value))
        };
        fields.into_iter().flat_map(most).collect()
    }

    fn conclude(
        &mut self,
        sets: &[Vec<FieldId>],
        values: &[(FieldId, Value<'static>)],
        found: &Found,
        rows: u64,
    ) {
        let names = |set: &[FieldId]| {
            set.iter()
                .map(|field| format!("`{}`", self.fields.get(*field).name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let declared = self.given.as_ref().map(|given| given.identity.clone()).filter(|set| !set.is_empty());
        let clean = sets.iter().zip(&found.duplicates).find(|(_, duplicates)| **duplicates == 0);
        let mut notes = Vec::new();
        self.identity = match (declared, clean) {
            (Some(declared), clean) => {
                let duplicates = found.duplicates.first().copied().unwrap_or(0) * found.one_in;
                if duplicates > 0 {
                    let other = clean.map(|(set, _)| format!("; {} would", names(set))).unwrap_or_default();
                    notes.push(format!(
                        "{} of the table file does not tell all records apart: about {duplicates} of {rows} have the values of one before \
                         and replace it{other}",
                        names(&declared)
                    ));
                }
                declared
            }
            (None, Some((set, _))) => {
                notes.push(format!("records are told apart by {}, in all {rows} of them", names(set)));
                set.clone()
            }
            (None, None) => {
                let every = self.distinguishing();
                notes.push(format!(
                    "no small set of fields tells all records apart: a record that equals another in {} replaces it; add a \
                     field that numbers them",
                    names(&every)
                ));
                every
            }
        };
        self.notes.extend(notes);
        self.repeated = identity::repeated(&self.sample, &self.identity);
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        for ((field, value), count) in values.iter().zip(&found.counts) {
            let share = *count as f64 / rows.max(1) as f64;
            // A field with few values has no celebrity: all of its values have many records.
            let few = self.facts.get(field.0).and_then(FieldFacts::few).is_some_and(|few| few.len() <= 20);
            if share >= CELEBRITY && !few {
                self.celebrities.push((*field, value.to_string(), share));
            }
        }
        self.celebrities.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    }

    /// All fields that can be in a key and differ, for want of an identity.
    fn distinguishing(&self) -> Vec<FieldId> {
        let usable = self.fields.iter().filter(|(id, field)| {
            let constant = self.facts.get(id.0).is_some_and(FieldFacts::is_constant);
            !constant && field.ty != rowkey::Type::Bytes
        });
        usable.map(|(id, _)| id).collect()
    }
}

/// The field that says when a record is written.
fn time_field(
    fields: &Fields,
    facts: &[FieldFacts],
    given: Option<&Table>,
    options: &Options,
) -> Result<Option<FieldId>, AdviseError> {
    let times: Vec<FieldId> =
        fields.iter().filter(|(_, field)| field.ty.kind() == Kind::Time).map(|(id, _)| id).collect();
    if let Some(name) = &options.time {
        let known = times.iter().map(|id| fields.get(*id).name.as_str()).collect::<Vec<_>>().join(", ");
        let wrong = |why: String| AdviseError::Time { field: name.clone(), why, known: known.clone() };
        let id = fields.id(name).ok_or_else(|| wrong("there is no such field".to_owned()))?;
        if !times.contains(&id) {
            return Err(wrong(format!("it is of type {}", fields.get(id).ty)));
        }
        return Ok(Some(id));
    }
    if let Some(time) = given.and_then(|given| given.cell_time) {
        return Ok(Some(time));
    }
    // The one that rises most through the file, then the first.
    let rising = |id: &FieldId| facts.get(id.0).map_or(0.0, FieldFacts::rising);
    Ok(times.iter().copied().min_by(|a, b| rising(b).total_cmp(&rising(a)).then(a.cmp(b))))
}

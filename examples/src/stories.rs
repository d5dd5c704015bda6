//! Which stories are there?

use crate::{Setting, Stage, StoryError, Told};

#[path = "../family-cardinality/story.rs"]
mod family_cardinality;
#[path = "../field-boundaries/story.rs"]
mod field_boundaries;
#[path = "../immutable-keys/story.rs"]
mod immutable_keys;
#[path = "../kept-together/story.rs"]
mod kept_together;
#[path = "../letter-salts/story.rs"]
mod letter_salts;
#[path = "../log-data/story.rs"]
mod log_data;
#[path = "../lumpy-splits/story.rs"]
mod lumpy_splits;
#[path = "../message-ids/story.rs"]
mod message_ids;
#[path = "../min-versions/story.rs"]
mod min_versions;
#[path = "../modulo-buckets/story.rs"]
mod modulo_buckets;
#[path = "../newest-first/story.rs"]
mod newest_first;
#[path = "../opentsdb/story.rs"]
mod opentsdb;
#[path = "../order-tables/story.rs"]
mod order_tables;
#[path = "../phone-numbers/story.rs"]
mod phone_numbers;
#[path = "../pre-split/story.rs"]
mod pre_split;
#[path = "../random-salt/story.rs"]
mod random_salt;
#[path = "../random-suffix/story.rs"]
mod random_suffix;
#[path = "../reverse-scan/story.rs"]
mod reverse_scan;
#[path = "../reverse-timestamp/story.rs"]
mod reverse_timestamp;
#[path = "../rising-key/story.rs"]
mod rising_key;
#[path = "../salted-regions/story.rs"]
mod salted_regions;
#[path = "../short-names/story.rs"]
mod short_names;
#[path = "../unique-keys/story.rs"]
mod unique_keys;
#[path = "../word-endings/story.rs"]
mod word_endings;

/// The list of stories, in the order of the index: a module, and the folder of its lesson. A macro takes it, so that there can be
/// a test for each.
#[macro_export]
macro_rules! each_story {
    ($take:ident) => {
        $take! {
            unique_keys "unique-keys",
            newest_first "newest-first",
            reverse_timestamp "reverse-timestamp",
            reverse_scan "reverse-scan",
            rising_key "rising-key",
            phone_numbers "phone-numbers",
            random_salt "random-salt",
            letter_salts "letter-salts",
            kept_together "kept-together",
            modulo_buckets "modulo-buckets",
            random_suffix "random-suffix",
            pre_split "pre-split",
            salted_regions "salted-regions",
            field_boundaries "field-boundaries",
            word_endings "word-endings",
            immutable_keys "immutable-keys",
            short_names "short-names",
            log_data "log-data",
            order_tables "order-tables",
            lumpy_splits "lumpy-splits",
            message_ids "message-ids",
            opentsdb "opentsdb",
            family_cardinality "family-cardinality",
            min_versions "min-versions",
        }
    };
}

macro_rules! listed {
    ($($module:ident $folder:literal,)*) => {
        /// Every story, in the order of the index.
        pub const STORIES: &[Story] = &[$(Story { name: $folder, act: $module::story }),*];
    };
}

each_story!(listed);

/// One lesson, which can be run.
#[derive(Debug, Clone, Copy)]
pub struct Story {
    /// The folder under `examples/`.
    pub name: &'static str,
    act: fn(&mut Stage) -> Told,
}

/// A story that was run: how it ended, and the stage with its transcript and figures.
pub struct Run {
    /// The stage as the story left it.
    pub stage: Stage,
    /// Whether it came to its end and all claims hold.
    pub ended: Told,
}

impl Story {
    /// The story in the folder of this name.
    pub fn named(name: &str) -> Option<Self> {
        STORIES.iter().copied().find(|story| story.name == name)
    }

    /// Runs it; `voice` hears every line as it comes.
    ///
    /// # Errors
    /// There is no folder for it. How the story itself ended is in the run.
    pub fn run(self, setting: &Setting, voice: impl FnMut(&str) + 'static) -> Result<Run, StoryError> {
        let mut stage = Stage::new(self.name, setting, Box::new(voice))?;
        let acted = (self.act)(&mut stage);
        let ended = acted.and(stage.end());
        Ok(Run { stage, ended })
    }
}

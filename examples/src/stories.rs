//! Which stories are there?

use crate::{Setting, Stage, StoryError, Told};

#[path = "../unique-keys/story.rs"]
mod unique_keys;

/// The list of stories, in the order of the index: a module, and the folder of its lesson. A macro takes it, so that there can be
/// a test for each.
#[macro_export]
macro_rules! each_story {
    ($take:ident) => {
        $take! {
            unique_keys "unique-keys",
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

//! Plans the keys that must be read to answer a query, and the order in which they come.
//!
//! A [`Query`] is a condition over fields, an order and a limit, written as in SQL:
//! `user_id = 7 and ts >= '2025-01-01' order by ts desc limit 20`. A [`Plan`] is data: single rows, or key ranges (one
//! for each bucket of a salt that the condition does not bind), the direction, from which byte on ranges are merged, how
//! to skip what cannot match, and what must still be true of each row.
//!
//! - `parse`, `predicate`, `like`: from text to a condition in three-valued logic; `slip`: what was hardly meant.
//! - `conjunct`, `values`: what the condition says of each field.
//! - `lists`, `walk`, `bounds`, `piece`, `slots`, `seek`, `order`: what that means for the bytes of a key.
//! - `plan`: a key's plans; `guess`, `price`: what each costs; `choose`: the best of a table and its index tables; `page`: the
//!   rest of a plan.
//! - `explain`: a plan for people; `template`: what a plan will be, before values are known, for generated programs.
//!
//! **Law** (`tests/plans.rs`): the rows of the plan, filtered by its residual, are exactly those of a full scan with the
//! condition, in the order asked for.

mod bounds;
mod choose;
mod conjunct;
mod explain;
mod guess;
mod like;
mod lists;
mod order;
mod page;
mod parse;
mod piece;
mod plan;
mod predicate;
mod price;
mod seek;
mod slip;
mod slots;
mod template;
mod text;
mod values;
mod walk;

pub use choose::{Choice, Considered, can_push, plan_table};
pub use explain::{ConditionUse, Explanation, Figure, PlanStep, RegionRows, StepKind, explain, explain_as};
pub use like::{BadEscape, LikePattern};
pub(crate) use order::describe;
pub use parse::{MAX_CONDITIONS, MAX_DEPTH, Parameter, Query};
pub use piece::FanOut;
pub use plan::{Access, MAX_FAN_OUT, MAX_GETS, Plan, PlanError, PlanOptions, Via, candidates, plan};
pub use predicate::{Comparison, Predicate};
pub use price::{Estimate, Prices};
pub use seek::{FuzzyPattern, Seek, SeekStep};
pub use template::{
    Fit, Operand, QueryTemplate, TemplateBetween, TemplateBound, TemplateEnd, TemplateError, TemplateGroup,
    TemplateLimit, TemplateParameter, TemplatePiece, TemplateRefusal, TemplateSpan, template,
    template_by_key,
};

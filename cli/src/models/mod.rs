//! temp
use std::sync::Arc;
use ubp_core::Result;
use ubp_core::ports::Embedder;
use crate::Environment;
use crate::host::Project;
pub(crate) fn load(_p: &Project, _e: &Environment) -> Result<Option<Arc<dyn Embedder>>> { Ok(None) }

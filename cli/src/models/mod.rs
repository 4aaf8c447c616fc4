//! temp
use crate::Environment;
use crate::host::Project;
use std::sync::Arc;
use ubp_core::Result;
use ubp_core::ports::Embedder;
pub(crate) fn load(_p: &Project, _e: &Environment) -> Result<Option<Arc<dyn Embedder>>> {
    #[cfg(feature = "engines")]
    return ubp_core::embed::bundled().map(|e| Some(Arc::from(e)));
    #[cfg(not(feature = "engines"))]
    Ok(None)
}

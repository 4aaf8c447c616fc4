//! `ubp hub --index` in a program without PostgreSQL.

use std::sync::Arc;

use ubp_core::Result;
use ubp_host::Environment;
use ubp_host::hub::Answering;

use crate::commands::push::without_postgres;

pub(super) fn open(_: &[String], _: Option<String>, _: &Environment) -> Result<Arc<dyn Answering>> {
    Err(without_postgres())
}

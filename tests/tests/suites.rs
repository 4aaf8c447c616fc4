//! The suites.

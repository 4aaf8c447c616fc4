//! What every version of a port must do, whatever is behind it.

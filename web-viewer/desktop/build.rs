//! Tells Tauri's macros where the configuration is, and embeds the icon on Windows.

fn main() {
    tauri_build::build();
}

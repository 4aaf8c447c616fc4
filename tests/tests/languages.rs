//! Messages in the languages of people: the catalogues are complete, the terminal shows no English where its reader
//! wants another language, and programs and agents get English always.

mod catalogues;
mod source;
mod terminal;

//! The priority of threads whose work nobody waits for.

/// How nice they are, from 0 to 19: beside a thread of usual priority, they get a tenth of a processor.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// Lets threads of usual priority run before the calling thread, and before the threads that it starts from now on. It
/// cannot be taken back.
pub fn lower() {
    // On other systems, this would be the priority of the whole process.
    #[cfg(target_os = "linux")]
    // What cannot be lowered works as before.
    let _ = rustix::process::setpriority_process(None, NICE);
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_the_thread_and_those_that_it_starts_are_lowered() {
        let own = || rustix::process::getpriority_process(None).unwrap();
        let before = own();
        let lowered = std::thread::spawn(move || {
            lower();
            (own(), std::thread::spawn(own).join().unwrap())
        });
        let nice = before.max(NICE);
        assert_eq!(lowered.join().unwrap(), (nice, nice));
        assert_eq!(own(), before);
    }
}

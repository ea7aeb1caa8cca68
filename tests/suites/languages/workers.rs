// Threads, channels, locks and thread-local variables, with Rust's standard library.
use std::cell::Cell;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;

thread_local! {
    static DEPTH: Cell<u32> = Cell::new(3);
}

struct Noted(Arc<Mutex<u32>>);

impl Drop for Noted {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

fn work(number: u64) -> u64 {
    (0..1000).fold(number, |sum, n| sum.wrapping_mul(31).wrapping_add(n ^ sum >> 3))
}

fn main() {
    let dropped = Arc::new(Mutex::new(0));
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let sender = sender.clone();
            let noted = Noted(dropped.clone());
            thread::spawn(move || {
                DEPTH.with(|depth| depth.set(depth.get() + number as u32));
                let _kept = noted;
                sender.send((number, work(number), DEPTH.with(|depth| depth.get()))).unwrap();
            })
        })
        .collect();
    drop(sender);
    for thread in threads {
        thread.join().unwrap();
    }
    let mut results: Vec<_> = receiver.iter().collect();
    results.sort();
    println!("{:?} {} {}", results, *dropped.lock().unwrap(), DEPTH.with(|depth| depth.get()));
}

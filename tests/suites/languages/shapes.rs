// Traits, closures, strings and panics that are caught, with Rust's standard library.
use std::collections::HashMap;
use std::fmt;
use std::panic;

trait Shape {
    fn area(&self) -> f64;
}

struct Square(f64);
struct Circle {
    radius: f64,
}

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        3.0 * self.radius * self.radius
    }
}

impl fmt::Display for Square {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "[{}]", self.0)
    }
}

#[inline(never)]
fn divide(left: i32, right: i32) -> i32 {
    left / right
}

fn main() {
    let shapes: Vec<Box<dyn Shape>> = (1..2000)
        .map(|n| -> Box<dyn Shape> {
            if n % 2 == 0 {
                Box::new(Square(n as f64))
            } else {
                Box::new(Circle { radius: n as f64 })
            }
        })
        .collect();
    println!("{}", shapes.iter().map(|shape| shape.area()).sum::<f64>());
    let mut counts = HashMap::new();
    for word in "a rose is a rose is a rose".split(' ') {
        *counts.entry(word).or_insert(0) += 1;
    }
    let mut sorted: Vec<_> = counts.into_iter().collect();
    sorted.sort();
    println!("{:?} {}", sorted, Square(2.5));
    panic::set_hook(Box::new(|_| {}));
    let caught = panic::catch_unwind(|| divide(7, std::env::args().count() as i32 - 1));
    println!("{}", caught.is_err());
}

// Checked arithmetic, slices and matches.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(i64),
    Plus,
    Times,
}

#[inline(never)]
fn tokens(text: &str) -> Result<Vec<Token>, String> {
    text.split_whitespace()
        .map(|word| match word {
            "+" => Ok(Token::Plus),
            "*" => Ok(Token::Times),
            _ => word.parse().map(Token::Number).map_err(|error| format!("{}: {}", word, error)),
        })
        .collect()
}

#[inline(never)]
fn evaluate(tokens: &[Token]) -> Option<i64> {
    match tokens {
        [Token::Number(number)] => Some(*number),
        [Token::Number(number), Token::Plus, rest @ ..] => number.checked_add(evaluate(rest)?),
        [Token::Number(number), Token::Times, rest @ ..] => number.checked_mul(evaluate(rest)?),
        _ => None,
    }
}

fn main() {
    for text in &["3 * 4 + 5", "9223372036854775807 + 1", "1 +", "2 * x"] {
        match tokens(text) {
            Ok(found) => println!("{:?}", evaluate(&found)),
            Err(error) => println!("{}", error),
        }
    }
    let total: i64 = (0..5000).filter_map(|n| evaluate(&tokens(&format!("{} * {} + 1", n, n << 24)).unwrap())).sum();
    println!("{}", total);
}

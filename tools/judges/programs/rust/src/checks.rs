//! Prints one line per check: `passed NAME`, `failed NAME: REASON`, `skipped NAME: REASON`.

use std::{error::Error, fmt::Debug, future::Future, time::Duration};

pub type Outcome = Result<(), Box<dyn Error>>;

/// The time limit of a check.
const PATIENCE: Duration = Duration::from_secs(45);

pub async fn check(name: &str, work: impl Future<Output = Outcome>) {
    match tokio::time::timeout(PATIENCE, work).await {
        Ok(Ok(())) => println!("passed {name}"),
        Ok(Err(error)) => println!("failed {name}: {}", error.to_string().lines().next().unwrap_or("?")),
        Err(_) => println!("failed {name}: the check did not finish within {PATIENCE:?}"),
    }
}

pub fn skip(name: &str, reason: &str) {
    println!("skipped {name}: {reason}");
}

pub fn equal<T: PartialEq + Debug>(found: T, expected: T) -> Outcome {
    if found == expected {
        Ok(())
    } else {
        Err(format!("found {found:?}, expected {expected:?}").into())
    }
}

pub fn thrown<T>(result: mongodb::error::Result<T>) -> Result<mongodb::error::Error, Box<dyn Error>> {
    match result {
        Ok(_) => Err("The call did not throw.".into()),
        Err(error) => Ok(error),
    }
}

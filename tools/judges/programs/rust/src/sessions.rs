//! Checks causal consistency and transactions, also during a step-down.

use futures_util::TryStreamExt;
use mongodb::{
    bson::{doc, Document},
    error::{Result, TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT},
    options::{ReadConcern, ReadPreference, ReadPreferenceOptions, SelectionCriteria, WriteConcern},
    Client, ClientSession, Collection, Database,
};

use crate::{
    checks::{check, equal, skip, thrown, Outcome},
    deployment::{fresh, has_log, is_set, step_down, NO_LOG, NO_STEP_DOWN},
};

macro_rules! when {
    ($possible:expr, $reason:expr, $name:expr, $work:expr) => {
        if $possible {
            check($name, $work).await
        } else {
            skip($name, $reason)
        }
    };
}

pub async fn run(client: &Client, db: &Database) {
    let (log, set) = (has_log(), is_set());
    when!(log, NO_LOG, "a causally consistent session reads its own writes", causal(client, db));
    when!(
        log,
        NO_LOG,
        "a transaction is invisible before its commit and visible afterwards",
        commits(client, db)
    );
    when!(log, NO_LOG, "an aborted transaction leaves no changes", aborts(client, db));
    when!(
        log,
        NO_LOG,
        "the second of two conflicting transactions gets a TransientTransactionError",
        conflicts(client, db)
    );
    when!(set, NO_STEP_DOWN, "a transaction with a step-down is carried out once", fails_over(client, db));
    when!(set, NO_STEP_DOWN, "writes continue after a step-down, each carried out once", retries(client, db));
}

async fn causal(client: &Client, db: &Database) -> Outcome {
    let c = fresh(db, "causal").await?;
    let mut session = client.start_session().causal_consistency(true).await?;
    let from = if is_set() {
        ReadPreference::SecondaryPreferred { options: Some(ReadPreferenceOptions::default()) }
    } else {
        ReadPreference::Primary
    };
    for n in 1..=5 {
        c.insert_one(doc! { "_id": n }).session(&mut session).await?;
        let mut cursor = c
            .find(doc! {})
            .read_concern(ReadConcern::majority())
            .selection_criteria(SelectionCriteria::ReadPreference(from.clone()))
            .session(&mut session)
            .await?;
        let docs: Vec<Document> = cursor.stream(&mut session).try_collect().await?;
        equal(docs.len(), n as usize)?;
    }
    Ok(())
}

async fn commits(client: &Client, db: &Database) -> Outcome {
    let c = fresh(db, "txn").await?;
    let mut session = client.start_session().await?;
    session.start_transaction().await?;
    c.insert_one(doc! { "_id": 1 }).session(&mut session).await?;
    equal(c.find_one(doc! {}).session(&mut session).await?, Some(doc! { "_id": 1 }))?;
    equal(c.find_one(doc! {}).await?, None)?;
    session.commit_transaction().await?;
    session.commit_transaction().await?;
    equal(c.count_documents(doc! {}).await?, 1)
}

async fn aborts(client: &Client, db: &Database) -> Outcome {
    let c = fresh(db, "abort").await?;
    c.insert_one(doc! { "_id": 1, "n": 1 }).await?;
    let mut session = client.start_session().await?;
    session.start_transaction().await?;
    c.update_one(doc! { "_id": 1 }, doc! { "$inc": { "n": 1 } }).session(&mut session).await?;
    c.delete_one(doc! { "_id": 1 }).session(&mut session).await?;
    session.abort_transaction().await?;
    equal(c.find_one(doc! {}).await?, Some(doc! { "_id": 1, "n": 1 }))
}

async fn conflicts(client: &Client, db: &Database) -> Outcome {
    let c = fresh(db, "conflict").await?;
    let (one, more) = (doc! { "_id": 1 }, doc! { "$inc": { "n": 1 } });
    c.insert_one(doc! { "_id": 1, "n": 0 }).await?;
    let (mut first, mut second) = (client.start_session().await?, client.start_session().await?);
    first.start_transaction().await?;
    second.start_transaction().await?;
    c.update_one(one.clone(), more.clone()).session(&mut first).await?;
    let error = thrown(c.update_one(one, more).session(&mut second).await)?;
    equal(error.contains_label(TRANSIENT_TRANSACTION_ERROR), true)?;
    first.commit_transaction().await?;
    second.abort_transaction().await?;
    equal(c.find_one(doc! {}).await?, Some(doc! { "_id": 1, "n": 1 }))
}

async fn commit(session: &mut ClientSession) -> Result<()> {
    loop {
        match session.commit_transaction().await {
            Err(error) if error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT) => continue,
            other => return other,
        }
    }
}

/// Runs one attempt of the transaction. The primary steps down in the first one.
async fn attempt(client: &Client, session: &mut ClientSession, c: &Collection<Document>, number: i32) -> Result<()> {
    session.start_transaction().await?;
    c.insert_one(doc! { "attempt": number }).session(&mut *session).await?;
    if number == 1 {
        step_down(client).await?;
    }
    c.update_one(doc! { "_id": "sum" }, doc! { "$inc": { "n": 1 } }).session(&mut *session).await?;
    commit(session).await
}

async fn fails_over(client: &Client, db: &Database) -> Outcome {
    let c = fresh(db, "failover").await?;
    c.insert_one(doc! { "_id": "sum", "n": 0 }).await?;
    let mut session = client.start_session().await?;
    let mut number = 1;
    while let Err(error) = attempt(client, &mut session, &c, number).await {
        if !error.contains_label(TRANSIENT_TRANSACTION_ERROR) {
            return Err(error.into());
        }
        let _ = session.abort_transaction().await;
        number += 1;
    }
    equal(number > 1, true)?;
    equal(c.find_one(doc! { "_id": "sum" }).await?, Some(doc! { "_id": "sum", "n": 1 }))?;
    equal(c.count_documents(doc! {}).await?, 2)
}

async fn retries(client: &Client, db: &Database) -> Outcome {
    let c = fresh(db, "retried").await?;
    for n in 0..20 {
        if n == 10 {
            step_down(client).await?;
        }
        c.update_one(doc! { "_id": 1 }, doc! { "$inc": { "n": 1 } })
            .upsert(true)
            .write_concern(WriteConcern::majority())
            .await?;
    }
    equal(c.find_one(doc! {}).await?, Some(doc! { "_id": 1, "n": 20 }))
}

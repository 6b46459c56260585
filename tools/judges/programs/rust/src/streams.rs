//! Checks change streams.

use futures_util::TryStreamExt;
use mongodb::{
    bson::{doc, Document},
    change_stream::{
        event::{ChangeStreamEvent, OperationType},
        ChangeStream,
    },
    options::FullDocumentType,
    Client, Database,
};

use crate::{
    checks::{check, equal, skip, Outcome},
    deployment::{fresh, has_log, is_set, step_down, NO_LOG, NO_STEP_DOWN},
};

type Stream = ChangeStream<ChangeStreamEvent<Document>>;

pub async fn run(client: &Client, db: &Database) {
    let names = [
        "a change stream returns inserts, updates, replacements and deletes",
        "a resumed change stream continues after its token",
        "change streams of a database and of the deployment return changes",
        "a change stream ends after its collection is dropped",
    ];
    if has_log() {
        check(names[0], returns_changes(db)).await;
        check(names[1], resumes(db)).await;
        check(names[2], is_wide(client, db)).await;
        check(names[3], ends(db)).await;
    } else {
        names.iter().for_each(|name| skip(name, NO_LOG));
    }
    let over = "a change stream continues after a step-down";
    if is_set() {
        check(over, survives(client, db)).await;
    } else {
        skip(over, NO_STEP_DOWN);
    }
}

async fn next(stream: &mut Stream) -> Result<ChangeStreamEvent<Document>, Box<dyn std::error::Error>> {
    Ok(stream.try_next().await?.ok_or("the stream ended")?)
}

async fn next_is_insert(stream: &mut Stream, id: i32) -> Outcome {
    let event = next(stream).await?;
    equal(event.operation_type, OperationType::Insert)?;
    equal(event.full_document, Some(doc! { "_id": id }))
}

async fn returns_changes(db: &Database) -> Outcome {
    let c = fresh(db, "watched").await?;
    let mut stream = c.watch().full_document(FullDocumentType::UpdateLookup).await?;
    c.insert_one(doc! { "_id": 1, "n": 1 }).await?;
    c.update_one(doc! { "_id": 1 }, doc! { "$set": { "n": 2 } }).await?;
    c.replace_one(doc! { "_id": 1 }, doc! { "m": 3 }).await?;
    c.delete_one(doc! { "_id": 1 }).await?;
    equal(next(&mut stream).await?.operation_type, OperationType::Insert)?;
    let update = next(&mut stream).await?;
    equal(update.operation_type, OperationType::Update)?;
    equal(update.update_description.map(|change| change.updated_fields), Some(doc! { "n": 2 }))?;
    let replacement = next(&mut stream).await?;
    equal(replacement.operation_type, OperationType::Replace)?;
    equal(replacement.full_document, Some(doc! { "_id": 1, "m": 3 }))?;
    let removal = next(&mut stream).await?;
    equal(removal.operation_type, OperationType::Delete)?;
    equal(removal.document_key, Some(doc! { "_id": 1 }))
}

async fn resumes(db: &Database) -> Outcome {
    let c = fresh(db, "resumed").await?;
    let mut first = c.watch().await?;
    c.insert_many((1..=3).map(|id| doc! { "_id": id })).await?;
    next_is_insert(&mut first, 1).await?;
    let token = first.resume_token().ok_or("no token")?;
    drop(first);
    let mut second = c.watch().resume_after(token.clone()).await?;
    next_is_insert(&mut second, 2).await?;
    next_is_insert(&mut second, 3).await?;
    let only = vec![doc! { "$match": { "fullDocument._id": 3 } }];
    let mut third = c.watch().pipeline(only).start_after(token).await?;
    next_is_insert(&mut third, 3).await
}

async fn is_wide(client: &Client, db: &Database) -> Outcome {
    let c = fresh(db, "wide").await?;
    let (mut of_db, mut of_all) = (db.watch().await?, client.watch().await?);
    c.insert_one(doc! { "_id": 1 }).await?;
    next_is_insert(&mut of_db, 1).await?;
    next_is_insert(&mut of_all, 1).await
}

async fn ends(db: &Database) -> Outcome {
    let c = fresh(db, "dropped").await?;
    let mut stream = c.watch().await?;
    c.drop().await?;
    equal(next(&mut stream).await?.operation_type, OperationType::Drop)?;
    equal(next(&mut stream).await?.operation_type, OperationType::Invalidate)
}

async fn survives(client: &Client, db: &Database) -> Outcome {
    let c = fresh(db, "survived").await?;
    let mut stream = c.watch().await?;
    c.insert_one(doc! { "_id": 1 }).await?;
    next_is_insert(&mut stream, 1).await?;
    step_down(client).await?;
    c.insert_one(doc! { "_id": 2 }).await?;
    next_is_insert(&mut stream, 2).await
}

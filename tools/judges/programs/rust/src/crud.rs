//! Checks reads and writes without sessions.

use futures_util::TryStreamExt;
use mongodb::{
    bson::{doc, oid::ObjectId, spec::BinarySubtype, Binary, Bson, DateTime, Decimal128, Document, Regex, Timestamp},
    error::{ErrorKind, InsertManyError, WriteFailure},
    options::{
        DeleteOneModel, IndexOptions, InsertOneModel, ReturnDocument, UpdateOneModel, WriteModel,
    },
    Client, Collection, Database, IndexModel,
};

use crate::{
    checks::{check, equal, thrown, Outcome},
    deployment::fresh,
};

async fn all(collection: &Collection<Document>) -> mongodb::error::Result<Vec<Document>> {
    collection.find(doc! {}).sort(doc! { "_id": 1 }).await?.try_collect().await
}

pub async fn run(client: &Client, db: &Database) {
    check("inserted documents are found", inserts(db)).await;
    check("every BSON type survives a round trip", types(db)).await;
    check("updates, replacements and upserts change documents and report counts", updates(db)).await;
    check("find and modify returns the document before or after the change", find_and_modify(db)).await;
    check("deletes report counts", deletes(db)).await;
    check("a duplicate key fails with error 11000", duplicates(db)).await;
    check("ordered and unordered inserts of many documents", many(db)).await;
    check("bulk writes of a client", bulk(client, db)).await;
    check("a cursor fetches several batches", cursors(db)).await;
    check("aggregations group, look up and write documents", aggregations(db)).await;
    check("collections are created, listed and dropped", collections(db)).await;
}

async fn inserts(db: &Database) -> Outcome {
    let c = fresh(db, "insert").await?;
    equal(c.insert_one(doc! { "_id": 1, "a": "x" }).await?.inserted_id, Bson::Int32(1))?;
    let many = c.insert_many([doc! { "_id": 2, "a": "y" }, doc! { "_id": 3, "a": "x" }]).await?;
    equal(many.inserted_ids.len(), 2)?;
    equal(c.find_one(doc! { "a": "y" }).await?, Some(doc! { "_id": 2, "a": "y" }))?;
    equal(c.count_documents(doc! {}).await?, 3)?;
    equal(c.estimated_document_count().await?, 3)?;
    equal(c.distinct("a", doc! {}).await?, vec!["x".into(), "y".into()])
}

async fn types(db: &Database) -> Outcome {
    let c = fresh(db, "types").await?;
    let doc = doc! {
        "_id": ObjectId::parse_str("0123456789abcdef01234567")?,
        "double": 1.0,
        "int": 7,
        "long": 9007199254740993_i64,
        "decimal": "1.10".parse::<Decimal128>()?,
        "binary": Binary { subtype: BinarySubtype::Md5, bytes: vec![1, 2, 3] },
        "date": DateTime::from_millis(-1),
        "regex": Regex { pattern: "^a".into(), options: "i".into() },
        "time": Timestamp { time: 7, increment: 3 },
        "symbol": Bson::Symbol("s".into()),
        "code": Bson::JavaScriptCode("f".into()),
        "undefined": Bson::Undefined,
        "min": Bson::MinKey,
        "max": Bson::MaxKey,
        "nothing": Bson::Null,
        "yes": true,
        "nested": { "array": [[], {}, ""] },
    };
    c.insert_one(&doc).await?;
    equal(c.find_one(doc! {}).await?, Some(doc))
}

async fn updates(db: &Database) -> Outcome {
    let c = fresh(db, "update").await?;
    c.insert_many((1..=3).map(|n| doc! { "_id": n, "n": n })).await?;
    let one = c.update_one(doc! { "_id": 1 }, doc! { "$inc": { "n": 10 } }).await?;
    equal((one.matched_count, one.modified_count), (1, 1))?;
    let doubling = vec![doc! { "$set": { "n": { "$multiply": ["$n", 2] } } }];
    equal(c.update_many(doc! { "n": { "$lt": 10 } }, doubling).await?.modified_count, 2)?;
    equal(c.update_one(doc! { "_id": 2 }, doc! { "$set": { "n": 4 } }).await?.modified_count, 0)?;
    let made = doc! { "$setOnInsert": { "made": true } };
    let upserted = c.update_one(doc! { "_id": 9 }, made).upsert(true).await?;
    equal(upserted.upserted_id, Some(Bson::Int32(9)))?;
    equal(c.replace_one(doc! { "_id": 9 }, doc! { "kind": "old" }).await?.modified_count, 1)?;
    equal(
        all(&c).await?,
        vec![
            doc! { "_id": 1, "n": 11 },
            doc! { "_id": 2, "n": 4 },
            doc! { "_id": 3, "n": 6 },
            doc! { "_id": 9, "kind": "old" },
        ],
    )
}

async fn find_and_modify(db: &Database) -> Outcome {
    let c = fresh(db, "modify").await?;
    let (one, more) = (doc! { "_id": 1 }, doc! { "$inc": { "n": 1 } });
    c.insert_one(doc! { "_id": 1, "n": 1 }).await?;
    equal(c.find_one_and_update(one.clone(), more.clone()).await?, Some(doc! { "_id": 1, "n": 1 }))?;
    let after = c.find_one_and_update(one.clone(), more).return_document(ReturnDocument::After).await?;
    equal(after, Some(doc! { "_id": 1, "n": 3 }))?;
    let replaced = c.find_one_and_replace(one.clone(), doc! { "n": "x" }).await?;
    equal(replaced, Some(doc! { "_id": 1, "n": 3 }))?;
    equal(c.find_one_and_delete(one.clone()).await?, Some(doc! { "_id": 1, "n": "x" }))?;
    equal(c.find_one_and_delete(one).await?, None)
}

async fn deletes(db: &Database) -> Outcome {
    let c = fresh(db, "delete").await?;
    c.insert_many((1..=4).map(|n| doc! { "n": n })).await?;
    equal(c.delete_one(doc! { "n": { "$gt": 1 } }).await?.deleted_count, 1)?;
    equal(c.delete_many(doc! { "n": { "$gt": 1 } }).await?.deleted_count, 2)?;
    equal(c.count_documents(doc! {}).await?, 1)
}

async fn duplicates(db: &Database) -> Outcome {
    let c = fresh(db, "unique").await?;
    let unique = IndexOptions::builder().unique(true).build();
    let index = IndexModel::builder().keys(doc! { "a": 1 }).options(unique).build();
    equal(c.create_index(index).await?.index_name, "a_1".to_string())?;
    c.insert_one(doc! { "_id": 1, "a": "x" }).await?;
    let error = thrown(c.insert_one(doc! { "_id": 2, "a": "x" }).await)?;
    match *error.kind {
        ErrorKind::Write(WriteFailure::WriteError(ref write)) => equal(write.code, 11000)?,
        ref other => return Err(format!("another error: {other}").into()),
    }
    equal(c.list_index_names().await?, vec!["_id_".to_string(), "a_1".to_string()])?;
    c.drop_index("a_1").await?;
    c.insert_one(doc! { "_id": 2, "a": "x" }).await?;
    Ok(())
}

fn indexes(error: &mongodb::error::Error) -> Vec<usize> {
    match *error.kind {
        ErrorKind::InsertMany(InsertManyError { write_errors: Some(ref errors), .. }) => {
            errors.iter().map(|each| each.index).collect()
        }
        _ => vec![],
    }
}

async fn many(db: &Database) -> Outcome {
    let c = fresh(db, "many").await?;
    c.insert_one(doc! { "_id": 2 }).await?;
    let docs = || [1, 2, 3, 2].map(|id| doc! { "_id": id });
    equal(indexes(&thrown(c.insert_many(docs()).await)?), vec![1])?;
    equal(c.count_documents(doc! {}).await?, 2)?;
    equal(indexes(&thrown(c.insert_many(docs()).ordered(false).await)?), vec![0, 1, 3])?;
    equal(c.count_documents(doc! {}).await?, 3)
}

async fn bulk(client: &Client, db: &Database) -> Outcome {
    let (one, two) = (fresh(db, "bulk1").await?, fresh(db, "bulk2").await?);
    let id = || doc! { "_id": 1 };
    let models: Vec<WriteModel> = vec![
        InsertOneModel::builder().namespace(one.namespace()).document(id()).build().into(),
        InsertOneModel::builder().namespace(two.namespace()).document(id()).build().into(),
        UpdateOneModel::builder()
            .namespace(two.namespace())
            .filter(id())
            .update(doc! { "$set": { "a": 1 } })
            .build()
            .into(),
        DeleteOneModel::builder().namespace(one.namespace()).filter(id()).build().into(),
    ];
    let result = client.bulk_write(models).verbose_results().await?;
    equal(
        (result.summary.inserted_count, result.summary.modified_count, result.summary.deleted_count),
        (2, 1, 1),
    )?;
    equal(result.update_results.contains_key(&2), true)?;
    equal(all(&two).await?, vec![doc! { "_id": 1, "a": 1 }])
}

async fn cursors(db: &Database) -> Outcome {
    let c = fresh(db, "cursor").await?;
    c.insert_many((0..250).map(|id| doc! { "_id": id })).await?;
    let docs: Vec<Document> = c.find(doc! {}).sort(doc! { "_id": 1 }).batch_size(7).await?.try_collect().await?;
    equal(docs, (0..250).map(|id| doc! { "_id": id }).collect())?;
    let some: Vec<Document> = c.find(doc! {}).sort(doc! { "_id": -1 }).skip(5).limit(2).await?.try_collect().await?;
    equal(some, vec![doc! { "_id": 244 }, doc! { "_id": 243 }])
}

async fn aggregations(db: &Database) -> Outcome {
    let (orders, people) = (fresh(db, "orders").await?, fresh(db, "people").await?);
    people.insert_many([doc! { "_id": "a", "name": "Ann" }, doc! { "_id": "b", "name": "Bob" }]).await?;
    orders.insert_many([("a", 1), ("a", 2), ("b", 5)].map(|(by, n)| doc! { "by": by, "n": n })).await?;
    let mut pipeline = vec![
        doc! { "$group": { "_id": "$by", "total": { "$sum": "$n" } } },
        doc! { "$lookup": { "from": "people", "localField": "_id", "foreignField": "_id", "as": "who" } },
        doc! { "$project": { "total": 1, "name": { "$first": "$who.name" } } },
        doc! { "$sort": { "_id": 1 } },
    ];
    let expected = vec![
        doc! { "_id": "a", "total": 3, "name": "Ann" },
        doc! { "_id": "b", "total": 5, "name": "Bob" },
    ];
    let found: Vec<Document> = orders.aggregate(pipeline.clone()).await?.try_collect().await?;
    equal(found, expected.clone())?;
    pipeline.push(doc! { "$out": "totals" });
    orders.aggregate(pipeline).await?;
    equal(all(&db.collection("totals")).await?, expected)
}

async fn collections(db: &Database) -> Outcome {
    db.collection::<Document>("made").drop().await?;
    db.create_collection("made").capped(true).size(4096_u64).max(2_u64).await?;
    let c = db.collection::<Document>("made");
    c.insert_many((1..=3).map(|id| doc! { "_id": id })).await?;
    let kept: Vec<Document> = c.find(doc! {}).await?.try_collect().await?;
    equal(kept, vec![doc! { "_id": 2 }, doc! { "_id": 3 }])?;
    let named = doc! { "name": "made" };
    let listed: Vec<_> = db.list_collections().filter(named.clone()).await?.try_collect().await?;
    equal(listed.first().and_then(|made| made.options.capped), Some(true))?;
    c.drop().await?;
    equal(db.list_collection_names().filter(named).await?, vec![])
}

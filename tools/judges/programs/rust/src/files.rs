//! Checks GridFS.

use futures_util::{AsyncReadExt, AsyncWriteExt, TryStreamExt};
use mongodb::{
    bson::{doc, Document},
    gridfs::FilesCollectionDocument,
    options::GridFsBucketOptions,
    Database,
};

use crate::checks::{check, equal, Outcome};

pub async fn run(db: &Database) {
    check("GridFS stores, renames and deletes a file", keeps(db)).await;
}

async fn keeps(db: &Database) -> Outcome {
    let options = GridFsBucketOptions::builder().bucket_name("things".to_string()).chunk_size_bytes(1000).build();
    let bucket = db.gridfs_bucket(options);
    bucket.drop().await?;
    let content: Vec<u8> = (0..3500).map(|i| (i % 251) as u8).collect();
    let mut upload = bucket.open_upload_stream("a.bin").metadata(doc! { "kind": "test" }).await?;
    upload.write_all(&content).await?;
    upload.close().await?;
    let id = upload.id().clone();
    let mut read = Vec::new();
    bucket.open_download_stream(id.clone()).await?.read_to_end(&mut read).await?;
    equal(read == content, true)?;
    let chunks = db.collection::<Document>("things.chunks");
    equal(chunks.count_documents(doc! {}).await?, 4)?;
    bucket.rename(id.clone(), "b.bin").await?;
    let found: Vec<FilesCollectionDocument> =
        bucket.find(doc! { "filename": "b.bin" }).await?.try_collect().await?;
    equal(found.first().map(|file| (file.length, file.metadata.clone())), Some((3500, Some(doc! { "kind": "test" }))))?;
    bucket.delete(id.clone()).await?;
    equal(chunks.count_documents(doc! {}).await?, 0)?;
    equal(bucket.open_download_stream(id).await.is_err(), true)
}

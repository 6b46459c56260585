//! The deployment, as the environment variables describe it.

use std::{env, time::Duration};

use mongodb::{
    bson::{doc, Document},
    error::{Error, Result},
    options::ClientOptions,
    Client, Collection, Database,
};

pub const NO_LOG: &str = "a standalone server has no oplog";
pub const NO_STEP_DOWN: &str = "only a member of a replica set can step down";

pub fn uri() -> String {
    env::var("MONGODB_URI").expect("MONGODB_URI")
}

fn topology() -> String {
    env::var("TOPOLOGY").expect("TOPOLOGY")
}

pub fn is_set() -> bool {
    topology().starts_with("replicaset")
}

pub fn has_log() -> bool {
    topology() != "standalone"
}

pub fn is_tls() -> bool {
    uri().contains("tls=true")
}

pub async fn options(seconds: u64) -> Result<ClientOptions> {
    let mut options = ClientOptions::parse(uri()).await?;
    options.server_selection_timeout = Some(Duration::from_secs(seconds));
    options.heartbeat_freq = Some(Duration::from_millis(500));
    Ok(options)
}

pub async fn connect() -> Result<Client> {
    Client::with_options(options(10).await?)
}

pub async fn fresh(db: &Database, name: &str) -> Result<Collection<Document>> {
    let collection = db.collection::<Document>(name);
    collection.drop().await?;
    db.create_collection(name).await?;
    Ok(collection)
}

/// Returns whether the server is not the primary any more, or closed the connection.
fn is_handed_over(error: &Error) -> bool {
    let text = error.to_string();
    text.contains("I/O error") || text.contains("not primary") || text.contains("connection closed")
}

/// Makes the primary step down, which may close the connection before its reply. First waits until members that stepped down
/// before can be elected again.
pub async fn step_down(client: &Client) -> Result<()> {
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let command = doc! { "replSetStepDown": 1, "force": true };
    match client.database("admin").run_command(command).await {
        Err(error) if !is_handed_over(&error) => Err(error),
        _ => Ok(()),
    }
}

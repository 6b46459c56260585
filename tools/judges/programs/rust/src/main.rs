//! Checks the Rust driver on the deployment of the environment variable MONGODB_URI.

mod checks;
mod crud;
mod deployment;
mod files;
mod logins;
mod sessions;
mod streams;

#[tokio::main]
async fn main() -> mongodb::error::Result<()> {
    let client = deployment::connect().await?;
    let db = client.database("peers");
    crud::run(&client, &db).await;
    sessions::run(&client, &db).await;
    streams::run(&client, &db).await;
    files::run(&db).await;
    logins::run(&client).await;
    println!("done");
    Ok(())
}

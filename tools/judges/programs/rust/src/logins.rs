//! Checks authentication and TLS.

use mongodb::{
    bson::{doc, Bson, Document},
    error::Result,
    options::{AuthMechanism, Credential, Tls, TlsOptions},
    Client,
};

use crate::{
    checks::{check, equal, skip, thrown, Outcome},
    deployment::{is_tls, options},
};

const PASSWORD: &str = "söze";

pub async fn run(client: &Client) {
    let mechanisms = [("SCRAM-SHA-256", AuthMechanism::ScramSha256), ("SCRAM-SHA-1", AuthMechanism::ScramSha1)];
    for (name, mechanism) in mechanisms {
        let title = format!("{name} accepts the right password and rejects a wrong one");
        check(&title, scram(client, name, mechanism)).await;
    }
    let encrypted = "the server accepts only TLS";
    if is_tls() {
        check(encrypted, tls()).await;
    } else {
        skip(encrypted, "the deployment does not use TLS");
    }
}

async fn connect_as(name: &str, password: &str, mechanism: Option<AuthMechanism>) -> Result<Document> {
    let mut options = options(3).await?;
    let credential = Credential::builder()
        .username(name.to_string())
        .password(password.to_string())
        .source("admin".to_string())
        .mechanism(mechanism)
        .build();
    options.credential = Some(credential);
    Client::with_options(options)?.database("admin").run_command(doc! { "connectionStatus": 1 }).await
}

async fn scram(client: &Client, mechanism_name: &str, mechanism: AuthMechanism) -> Outcome {
    let name = format!("rust {mechanism_name}");
    let admin = client.database("admin");
    let _ = admin.run_command(doc! { "dropUser": &name }).await;
    admin
        .run_command(doc! {
            "createUser": &name,
            "pwd": PASSWORD,
            "roles": ["readWriteAnyDatabase"],
            "mechanisms": [mechanism_name],
        })
        .await?;
    let expected: Vec<Bson> = vec![doc! { "user": &name, "db": "admin" }.into()];
    for way in [Some(mechanism.clone()), None] {
        let status = connect_as(&name, PASSWORD, way).await?;
        equal(status.get_document("authInfo")?.get_array("authenticatedUsers")?, &expected)?;
    }
    let error = thrown(connect_as(&name, "wrong", Some(mechanism)).await)?;
    equal(error.to_string().contains("SCRAM failure"), true)
}

async fn ping(tls: Tls) -> Result<Document> {
    let mut options = options(2).await?;
    options.tls = Some(tls);
    Client::with_options(options)?.database("admin").run_command(doc! { "ping": 1 }).await
}

async fn tls() -> Outcome {
    thrown(ping(Tls::Disabled).await)?;
    thrown(ping(Tls::Enabled(TlsOptions::default())).await)?;
    let trusting = options(2).await?.tls.ok_or("no TLS in the connection string")?;
    ping(trusting).await?;
    Ok(())
}

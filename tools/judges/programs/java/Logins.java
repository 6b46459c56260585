import com.mongodb.MongoCommandException;
import com.mongodb.MongoCredential;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.bson.Document;

/** Checks authentication and TLS. */
final class Logins {
  private static final char[] PASSWORD = "söze".toCharArray();
  private final MongoDatabase admin;

  Logins(MongoClient client) {
    this.admin = client.getDatabase("admin");
  }

  private static MongoCredential credential(String mechanism, String name, char[] password) {
    return mechanism.equals("SCRAM-SHA-1")
        ? MongoCredential.createScramSha1Credential(name, "admin", password)
        : MongoCredential.createScramSha256Credential(name, "admin", password);
  }

  void run() {
    for (String mechanism : List.of("SCRAM-SHA-256", "SCRAM-SHA-1")) {
      Checks.check(mechanism + " accepts the right password and rejects a wrong one", () -> scram(mechanism));
    }
    String encrypted = "the server accepts only TLS";
    if (Deployment.IS_TLS) Checks.check(encrypted, this::tls);
    else Checks.skip(encrypted, "the deployment does not use TLS");
  }

  private void scram(String mechanism) throws Exception {
    String name = "java " + mechanism;
    try {
      admin.runCommand(new Document("dropUser", name));
    } catch (MongoCommandException error) {
      Checks.equal(error.getErrorCode(), 11);
    }
    admin.runCommand(
        new Document("createUser", name)
            .append("pwd", new String(PASSWORD))
            .append("roles", List.of("readWriteAnyDatabase"))
            .append("mechanisms", List.of(mechanism)));
    List<Document> expected = List.of(new Document("user", name).append("db", "admin"));
    MongoCredential[] ways = {
      credential(mechanism, name, PASSWORD), MongoCredential.createCredential(name, "admin", PASSWORD)
    };
    for (MongoCredential way : ways) {
      Document status = Deployment.connectAs(way).get("authInfo", Document.class);
      Checks.equal(status.getList("authenticatedUsers", Document.class), expected);
    }
    MongoSecurityException error =
        Checks.thrown(
            MongoSecurityException.class,
            () -> Deployment.connectAs(credential(mechanism, name, "wrong".toCharArray())));
    Checks.equal(((MongoCommandException) error.getCause()).getErrorCode(), 18);
  }

  private void ping(boolean enabled, SSLContext context) throws Exception {
    var settings =
        Deployment.settings()
            .applyToClusterSettings(cluster -> cluster.serverSelectionTimeout(2, TimeUnit.SECONDS))
            .applyToSslSettings(ssl -> ssl.enabled(enabled).context(context))
            .build();
    try (MongoClient client = MongoClients.create(settings)) {
      client.getDatabase("admin").runCommand(new Document("ping", 1));
    }
  }

  private void tls() throws Exception {
    // Behind a load balancer the driver does not wait in server selection.
    var refused = Deployment.IS_BALANCED ? MongoSocketException.class : MongoTimeoutException.class;
    Checks.thrown(refused, () -> ping(false, null));
    Checks.thrown(refused, () -> ping(true, SSLContext.getDefault()));
    ping(true, Deployment.trusting(System.getenv("TLS_CA_FILE")));
  }
}

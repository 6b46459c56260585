import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoCredential;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSocketException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.io.FileInputStream;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bson.Document;

/** The deployment, as the environment variables describe it. */
final class Deployment {
  static final String URI = System.getenv("MONGODB_URI");
  static final String TOPOLOGY = System.getenv("TOPOLOGY");
  static final boolean IS_SET = TOPOLOGY.startsWith("replicaset");
  static final boolean HAS_LOG = !TOPOLOGY.equals("standalone");
  static final boolean IS_BALANCED = TOPOLOGY.equals("load-balanced");
  static final boolean IS_TLS = URI.contains("tls=true");
  static final String NO_LOG = "a standalone server has no oplog";
  static final String NO_STEP_DOWN = "only a member of a replica set can step down";

  private Deployment() {}

  /** Returns an SSL context that trusts only one authority. */
  static SSLContext trusting(String file) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null);
    try (InputStream in = new FileInputStream(file)) {
      store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  static MongoClientSettings.Builder settings() throws Exception {
    MongoClientSettings.Builder settings =
        MongoClientSettings.builder()
            .applyConnectionString(new ConnectionString(URI))
            .applyToClusterSettings(cluster -> cluster.serverSelectionTimeout(10, TimeUnit.SECONDS))
            .applyToServerSettings(server -> server.heartbeatFrequency(500, TimeUnit.MILLISECONDS));
    if (IS_TLS) {
      SSLContext context = trusting(System.getenv("TLS_CA_FILE"));
      settings.applyToSslSettings(ssl -> ssl.context(context));
    }
    return settings;
  }

  static MongoClient connect() throws Exception {
    return MongoClients.create(settings().build());
  }

  /** Sends a command as a user, with a short time limit. */
  static Document connectAs(MongoCredential credential) throws Exception {
    MongoClientSettings settings =
        settings()
            .credential(credential)
            .applyToClusterSettings(cluster -> cluster.serverSelectionTimeout(3, TimeUnit.SECONDS))
            .build();
    try (MongoClient client = MongoClients.create(settings)) {
      return client.getDatabase("admin").runCommand(new Document("connectionStatus", 1));
    }
  }

  static MongoCollection<Document> fresh(MongoDatabase db, String name) {
    db.getCollection(name).drop();
    db.createCollection(name);
    return db.getCollection(name);
  }

  /**
   * Makes the primary step down, which may close the connection before its reply. First waits until members that stepped
   * down before can be elected again.
   */
  static void stepDown(MongoClient client) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1100));
    try {
      client.getDatabase("admin").runCommand(new Document("replSetStepDown", 1).append("force", true));
    } catch (MongoSocketException | MongoNotPrimaryException | MongoNodeIsRecoveringException expected) {
      return;
    } catch (MongoCommandException error) {
      if (!error.getErrorMessage().contains("not primary")) throw error;
    }
  }
}

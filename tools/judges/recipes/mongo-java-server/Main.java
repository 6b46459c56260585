import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** Runs mongo-java-server in memory, on a free port of this machine. With the files of a certificate and its key, it uses TLS. */
public class Main {
  /** Reports wire version 9 instead of 8, because current drivers reject older versions. */
  private static final MongoVersion VERSION =
      new MongoVersion() {
        @Override
        public List<Integer> getVersionArray() {
          return List.of(5, 0, 0);
        }

        @Override
        public int getWireVersion() {
          return 9;
        }
      };

  private static byte[] der(String file) throws Exception {
    String text = Files.readString(Path.of(file)).replaceAll("-----[^-]+-----|\\s", "");
    return Base64.getDecoder().decode(text);
  }

  private static void enableTls(MongoServer server, String certificate, String key) throws Exception {
    PrivateKey own = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der(key)));
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    server.enableSsl(
        own, null, (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der(certificate))));
  }

  public static void main(String[] arguments) throws Exception {
    MemoryBackend backend = new MemoryBackend();
    backend.version(VERSION);
    MongoServer server = new MongoServer(backend);
    if (arguments.length == 2) enableTls(server, arguments[0], arguments[1]);
    server.bind("127.0.0.1", 0);
    System.out.println("listening on 127.0.0.1:" + server.getLocalAddress().getPort());
  }
}

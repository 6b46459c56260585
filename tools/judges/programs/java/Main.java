import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;

/** Checks the Java driver on the deployment of the environment variable MONGODB_URI. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    try (MongoClient client = Deployment.connect()) {
      MongoDatabase db = client.getDatabase("peers");
      new Crud(client, db).run();
      new Sessions(client, db).run();
      new Streams(client, db).run();
      new Files(db).run();
      new Logins(client).run();
    }
    System.out.println("done");
  }
}

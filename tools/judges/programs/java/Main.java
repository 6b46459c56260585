import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;

/** The Java driver, put through its paces on the deployment that the environment names. */
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

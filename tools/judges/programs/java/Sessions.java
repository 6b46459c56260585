import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.inc;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.UpdateOptions;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;

/** Checks causal consistency and transactions, also during a step-down. */
final class Sessions {
  private final MongoClient client;
  private final MongoDatabase db;

  Sessions(MongoClient client, MongoDatabase db) {
    this.client = client;
    this.db = db;
  }

  private interface InSession {
    void run(ClientSession session, MongoCollection<Document> c);
  }

  private void whenLogged(String name, String collection, InSession work) {
    if (!Deployment.HAS_LOG) Checks.skip(name, Deployment.NO_LOG);
    else check(name, collection, work);
  }

  private void check(String name, String collection, InSession work) {
    Checks.check(
        name,
        () -> {
          MongoCollection<Document> c = Deployment.fresh(db, collection);
          try (ClientSession session = client.startSession()) {
            work.run(session, c);
          }
        });
  }

  private void whenSet(String name, String collection, InSession work) {
    if (!Deployment.IS_SET) Checks.skip(name, Deployment.NO_STEP_DOWN);
    else check(name, collection, work);
  }

  void run() {
    whenLogged("a causally consistent session reads its own writes", "causal", this::causal);
    whenLogged("a transaction is invisible before its commit and visible afterwards", "txn", this::commits);
    whenLogged("an aborted transaction leaves no changes", "abort", this::aborts);
    whenLogged("the second of two conflicting transactions gets a TransientTransactionError", "conflict", this::conflicts);
    whenSet("a transaction with a step-down is carried out once", "failover", this::failsOver);
    whenSet("writes continue after a step-down, each carried out once", "retried", this::retries);
  }

  private void causal(ClientSession session, MongoCollection<Document> c) {
    ReadPreference from = Deployment.IS_SET ? ReadPreference.secondaryPreferred() : ReadPreference.primary();
    MongoCollection<Document> reading = c.withReadPreference(from).withReadConcern(ReadConcern.MAJORITY);
    for (int n = 1; n <= 5; n++) {
      c.insertOne(session, new Document("_id", n));
      Checks.equal(reading.find(session).into(new ArrayList<>()).size(), n);
    }
  }

  private void commits(ClientSession session, MongoCollection<Document> c) {
    session.startTransaction();
    c.insertOne(session, new Document("_id", 1));
    Checks.equal(c.find(session).first(), new Document("_id", 1));
    Checks.equal(c.find().first(), null);
    session.commitTransaction();
    session.commitTransaction();
    Checks.equal(c.countDocuments(), 1L);
  }

  private void aborts(ClientSession session, MongoCollection<Document> c) {
    c.insertOne(new Document("_id", 1).append("n", 1));
    session.startTransaction();
    c.updateOne(session, eq("_id", 1), inc("n", 1));
    c.deleteOne(session, eq("_id", 1));
    session.abortTransaction();
    Checks.equal(c.find().into(new ArrayList<>()), List.of(new Document("_id", 1).append("n", 1)));
  }

  private void conflicts(ClientSession one, MongoCollection<Document> c) {
    c.insertOne(new Document("_id", 1).append("n", 0));
    try (ClientSession two = client.startSession()) {
      one.startTransaction();
      two.startTransaction();
      c.updateOne(one, eq("_id", 1), inc("n", 1));
      MongoCommandException error =
          Checks.thrown(MongoCommandException.class, () -> c.updateOne(two, eq("_id", 1), inc("n", 1)));
      Checks.equal(error.getErrorCode(), 112);
      Checks.equal(error.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL), true);
      one.commitTransaction();
      two.abortTransaction();
    }
    Checks.equal(c.find().first(), new Document("_id", 1).append("n", 1));
  }

  private void failsOver(ClientSession session, MongoCollection<Document> c) {
    c.insertOne(new Document("_id", "sum").append("n", 0));
    int[] attempts = {0};
    session.withTransaction(
        () -> {
          attempts[0]++;
          c.insertOne(session, new Document("attempt", attempts[0]));
          if (attempts[0] == 1) Deployment.stepDown(client);
          return c.updateOne(session, eq("_id", "sum"), inc("n", 1));
        });
    Checks.equal(attempts[0] > 1, true);
    Checks.equal(c.find(eq("_id", "sum")).first(), new Document("_id", "sum").append("n", 1));
    Checks.equal(c.countDocuments(), 2L);
  }

  private void retries(ClientSession session, MongoCollection<Document> c) {
    MongoCollection<Document> majority = c.withWriteConcern(WriteConcern.MAJORITY);
    for (int n = 0; n < 20; n++) {
      if (n == 10) Deployment.stepDown(client);
      majority.updateOne(session, eq("_id", 1), inc("n", 1), new UpdateOptions().upsert(true));
    }
    Checks.equal(c.find().first(), new Document("_id", 1).append("n", 20));
  }
}

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.OperationType;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.Document;

/** Checks change streams. */
final class Streams {
  private final MongoClient client;
  private final MongoDatabase db;

  Streams(MongoClient client, MongoDatabase db) {
    this.client = client;
    this.db = db;
  }

  private static Document id(int id) {
    return new Document("_id", id);
  }

  private static void isInsert(ChangeStreamDocument<Document> event, int id) {
    Checks.equal(event.getOperationType(), OperationType.INSERT);
    Checks.equal(event.getFullDocument(), id(id));
  }

  void run() {
    whenLogged("a change stream returns inserts, updates, replacements and deletes", this::returnsChanges);
    whenLogged("a resumed change stream continues after its token", this::resumes);
    whenLogged("change streams of a database and of the deployment return changes", this::isWide);
    whenLogged("a change stream ends after its collection is dropped", this::ends);
    String over = "a change stream continues after a step-down";
    if (Deployment.IS_SET) Checks.check(over, this::survives);
    else Checks.skip(over, Deployment.NO_STEP_DOWN);
  }

  private void whenLogged(String name, Checks.Work work) {
    if (Deployment.HAS_LOG) Checks.check(name, work);
    else Checks.skip(name, Deployment.NO_LOG);
  }

  private void returnsChanges() {
    MongoCollection<Document> c = Deployment.fresh(db, "watched");
    try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream =
        c.watch().fullDocument(FullDocument.UPDATE_LOOKUP).cursor()) {
      c.insertOne(id(1).append("n", 1));
      c.updateOne(id(1), Updates.set("n", 2));
      c.replaceOne(id(1), new Document("m", 3));
      c.deleteOne(id(1));
      List<ChangeStreamDocument<Document>> events = new ArrayList<>();
      for (int i = 0; i < 4; i++) events.add(stream.next());
      Checks.equal(
          events.stream().map(ChangeStreamDocument::getOperationType).toList(),
          List.of(OperationType.INSERT, OperationType.UPDATE, OperationType.REPLACE, OperationType.DELETE));
      Checks.equal(events.get(1).getUpdateDescription().getUpdatedFields(), new BsonDocument("n", new BsonInt32(2)));
      Checks.equal(events.get(2).getFullDocument(), id(1).append("m", 3));
      Checks.equal(events.get(3).getDocumentKey(), new BsonDocument("_id", new BsonInt32(1)));
    }
  }

  private void resumes() {
    MongoCollection<Document> c = Deployment.fresh(db, "resumed");
    BsonDocument token;
    try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> first = c.watch().cursor()) {
      c.insertMany(List.of(id(1), id(2), id(3)));
      token = first.next().getResumeToken();
    }
    try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> second = c.watch().resumeAfter(token).cursor()) {
      isInsert(second.next(), 2);
      isInsert(second.next(), 3);
    }
    List<Document> third = List.of(new Document("$match", new Document("fullDocument._id", 3)));
    try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream = c.watch(third).startAfter(token).cursor()) {
      isInsert(stream.next(), 3);
    }
  }

  private void isWide() {
    MongoCollection<Document> c = Deployment.fresh(db, "wide");
    try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> ofDb = db.watch().cursor();
        MongoChangeStreamCursor<ChangeStreamDocument<Document>> ofAll = client.watch().cursor()) {
      c.insertOne(id(1));
      isInsert(ofDb.next(), 1);
      isInsert(ofAll.next(), 1);
    }
  }

  private void ends() {
    MongoCollection<Document> c = Deployment.fresh(db, "dropped");
    try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream = c.watch().cursor()) {
      c.drop();
      Checks.equal(stream.next().getOperationType(), OperationType.DROP);
      Checks.equal(stream.next().getOperationType(), OperationType.INVALIDATE);
    }
  }

  private void survives() {
    MongoCollection<Document> c = Deployment.fresh(db, "survived").withWriteConcern(WriteConcern.MAJORITY);
    try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream = c.watch().cursor()) {
      c.insertOne(id(1));
      isInsert(stream.next(), 1);
      Deployment.stepDown(client);
      c.insertOne(id(2));
      isInsert(stream.next(), 2);
    }
  }
}

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteException;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateManyModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.WriteModel;
import com.mongodb.client.model.bulk.ClientBulkWriteResult;
import com.mongodb.client.model.bulk.ClientNamespacedWriteModel;
import com.mongodb.client.result.UpdateResult;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonInt32;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.types.Binary;
import org.bson.types.Code;
import org.bson.types.Decimal128;
import org.bson.types.MaxKey;
import org.bson.types.MinKey;
import org.bson.types.ObjectId;

/** Checks reads and writes without sessions. */
final class Crud {
  private final MongoClient client;
  private final MongoDatabase db;

  Crud(MongoClient client, MongoDatabase db) {
    this.client = client;
    this.db = db;
  }

  private MongoCollection<Document> fresh(String name) {
    return Deployment.fresh(db, name);
  }

  private static List<Document> all(MongoCollection<Document> c) {
    return c.find().sort(new Document("_id", 1)).into(new ArrayList<>());
  }

  private static Document doc(Object... pairs) {
    Document doc = new Document();
    for (int i = 0; i < pairs.length; i += 2) doc.append((String) pairs[i], pairs[i + 1]);
    return doc;
  }

  void run() {
    Checks.check("inserted documents are found", this::inserts);
    Checks.check("every BSON type survives a round trip", this::types);
    Checks.check("updates, replacements and upserts change documents and report counts", this::updates);
    Checks.check("find and modify returns the document before or after the change", this::findAndModify);
    Checks.check("deletes report counts", this::deletes);
    Checks.check("a duplicate key fails with error 11000", this::duplicates);
    Checks.check("ordered and unordered bulk writes of a collection", this::bulk);
    Checks.check("bulk writes of a client", this::clientBulk);
    Checks.check("a cursor fetches several batches", this::cursors);
    Checks.check("aggregations group, look up and write documents", this::aggregations);
    Checks.check("collections are created, listed, renamed and dropped", this::collections);
  }

  private void inserts() {
    MongoCollection<Document> c = fresh("insert");
    Checks.equal(c.insertOne(doc("_id", 1, "a", "x")).getInsertedId(), new BsonInt32(1));
    Checks.equal(c.insertMany(List.of(doc("_id", 2, "a", "y"), doc("_id", 3, "a", "x"))).getInsertedIds().size(), 2);
    Checks.equal(c.find(eq("a", "y")).first(), doc("_id", 2, "a", "y"));
    Checks.equal(c.countDocuments(), 3L);
    Checks.equal(c.estimatedDocumentCount(), 3L);
    Checks.equal(c.distinct("a", String.class).into(new ArrayList<>()), List.of("x", "y"));
  }

  private void types() {
    MongoCollection<Document> c = fresh("types");
    Document doc = doc("_id", new ObjectId("0123456789abcdef01234567"), "double", 1.0, "int", 7, "long", 9007199254740993L);
    doc.append("decimal", Decimal128.parse("1.10")).append("binary", new Binary((byte) 5, new byte[] {1, 2, 3}));
    doc.append("date", new Date(-1)).append("time", new BsonTimestamp(7, 3)).append("code", new Code("f"));
    doc.append("min", new MinKey()).append("max", new MaxKey()).append("nothing", null).append("yes", true);
    doc.append("nested", doc("array", List.of(List.of(), new Document(), "")));
    c.insertOne(doc);
    Document found = c.find().first();
    Checks.equal(found, doc);
    Checks.equal(new ArrayList<>(found.keySet()), new ArrayList<>(doc.keySet()));
  }

  private void updates() {
    MongoCollection<Document> c = fresh("update");
    c.insertMany(List.of(doc("_id", 1, "n", 1), doc("_id", 2, "n", 2), doc("_id", 3, "n", 3)));
    UpdateResult one = c.updateOne(eq("_id", 1), inc("n", 10));
    Checks.equal(List.of(one.getMatchedCount(), one.getModifiedCount()), List.of(1L, 1L));
    List<Document> doubling = List.of(doc("$set", doc("n", doc("$multiply", List.of("$n", 2)))));
    Checks.equal(c.updateMany(lt("n", 10), doubling).getModifiedCount(), 2L);
    Checks.equal(c.updateOne(eq("_id", 2), set("n", 4)).getModifiedCount(), 0L);
    UpdateResult made = c.updateOne(eq("_id", 9), doc("$setOnInsert", doc("made", true)), new UpdateOptions().upsert(true));
    Checks.equal(made.getUpsertedId(), new BsonInt32(9));
    c.replaceOne(eq("_id", 9), doc("kind", "old"), new ReplaceOptions());
    Checks.equal(
        all(c),
        List.of(doc("_id", 1, "n", 11), doc("_id", 2, "n", 4), doc("_id", 3, "n", 6), doc("_id", 9, "kind", "old")));
  }

  private void findAndModify() {
    MongoCollection<Document> c = fresh("modify");
    c.insertOne(doc("_id", 1, "n", 1));
    Checks.equal(c.findOneAndUpdate(eq("_id", 1), inc("n", 1)), doc("_id", 1, "n", 1));
    FindOneAndUpdateOptions after = new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER);
    Checks.equal(c.findOneAndUpdate(eq("_id", 1), inc("n", 1), after), doc("_id", 1, "n", 3));
    Checks.equal(c.findOneAndReplace(eq("_id", 1), doc("n", "x")), doc("_id", 1, "n", 3));
    Checks.equal(c.findOneAndDelete(eq("_id", 1)), doc("_id", 1, "n", "x"));
    Checks.equal(c.findOneAndDelete(eq("_id", 1)), null);
  }

  private void deletes() {
    MongoCollection<Document> c = fresh("delete");
    c.insertMany(List.of(doc("n", 1), doc("n", 2), doc("n", 3), doc("n", 4)));
    Checks.equal(c.deleteOne(gt("n", 1)).getDeletedCount(), 1L);
    Checks.equal(c.deleteMany(gt("n", 1)).getDeletedCount(), 2L);
    Checks.equal(c.countDocuments(), 1L);
  }

  private void duplicates() {
    MongoCollection<Document> c = fresh("unique");
    Checks.equal(c.createIndex(doc("a", 1), new IndexOptions().unique(true)), "a_1");
    c.insertOne(doc("_id", 1, "a", "x"));
    MongoWriteException error = Checks.thrown(MongoWriteException.class, () -> c.insertOne(doc("_id", 2, "a", "x")));
    Checks.equal(error.getError().getCode(), 11000);
    c.dropIndex("a_1");
    c.insertOne(doc("_id", 2, "a", "x"));
  }

  private void bulk() {
    MongoCollection<Document> c = fresh("bulk");
    BulkWriteResult result =
        c.bulkWrite(
            List.of(
                new InsertOneModel<>(doc("_id", 1, "n", 0)),
                new InsertOneModel<>(doc("_id", 2, "n", 0)),
                new UpdateManyModel<>(new Document(), inc("n", 1)),
                new ReplaceOneModel<>(eq("_id", 3), doc("n", 5), new ReplaceOptions().upsert(true)),
                new DeleteOneModel<>(eq("_id", 1))));
    Checks.equal(
        List.of(result.getInsertedCount(), result.getModifiedCount(), result.getUpserts().size(), result.getDeletedCount()),
        List.of(2, 2, 1, 1));
    List<WriteModel<Document>> inserts = List.of(4, 2, 5).stream().<WriteModel<Document>>map(i -> new InsertOneModel<>(doc("_id", i))).toList();
    MongoBulkWriteException ordered = Checks.thrown(MongoBulkWriteException.class, () -> c.bulkWrite(inserts));
    Checks.equal(List.of(ordered.getWriteErrors().get(0).getIndex(), ordered.getWriteResult().getInsertedCount()), List.of(1, 1));
    c.deleteOne(eq("_id", 4));
    BulkWriteOptions unordered = new BulkWriteOptions().ordered(false);
    MongoBulkWriteException error = Checks.thrown(MongoBulkWriteException.class, () -> c.bulkWrite(inserts, unordered));
    Checks.equal(List.of(error.getWriteErrors().size(), error.getWriteResult().getInsertedCount()), List.of(1, 2));
  }

  private void clientBulk() {
    MongoNamespace one = fresh("bulk1").getNamespace();
    MongoNamespace two = fresh("bulk2").getNamespace();
    ClientBulkWriteResult result =
        client.bulkWrite(
            List.of(
                ClientNamespacedWriteModel.insertOne(one, doc("_id", 1)),
                ClientNamespacedWriteModel.insertOne(two, doc("_id", 1)),
                ClientNamespacedWriteModel.updateOne(two, eq("_id", 1), set("a", 1)),
                ClientNamespacedWriteModel.deleteOne(one, eq("_id", 1))));
    Checks.equal(List.of(result.getInsertedCount(), result.getModifiedCount(), result.getDeletedCount()), List.of(2L, 1L, 1L));
    Checks.equal(all(db.getCollection("bulk2")), List.of(doc("_id", 1, "a", 1)));
  }

  private void cursors() {
    MongoCollection<Document> c = fresh("cursor");
    c.insertMany(IntStream.range(0, 250).mapToObj(i -> doc("_id", i)).toList());
    List<Integer> ids = new ArrayList<>();
    try (MongoCursor<Document> cursor = c.find().sort(doc("_id", 1)).batchSize(7).cursor()) {
      while (cursor.hasNext()) ids.add(cursor.next().getInteger("_id"));
    }
    Checks.equal(ids, IntStream.range(0, 250).boxed().toList());
    Checks.equal(
        c.find().sort(doc("_id", -1)).skip(5).limit(2).into(new ArrayList<>()),
        List.of(doc("_id", 244), doc("_id", 243)));
    try (MongoCursor<Document> cursor = c.find().batchSize(2).cursor()) {
      cursor.next();
    }
  }

  private void aggregations() {
    MongoCollection<Document> orders = fresh("orders");
    fresh("people").insertMany(List.of(doc("_id", "a", "name", "Ann"), doc("_id", "b", "name", "Bob")));
    orders.insertMany(List.of(doc("by", "a", "n", 1), doc("by", "a", "n", 2), doc("by", "b", "n", 5)));
    List<Document> pipeline =
        List.of(
            doc("$group", doc("_id", "$by", "total", doc("$sum", "$n"))),
            doc("$lookup", doc("from", "people", "localField", "_id", "foreignField", "_id", "as", "who")),
            doc("$project", doc("total", 1, "name", doc("$first", "$who.name"))),
            doc("$sort", doc("_id", 1)));
    List<Document> expected = List.of(doc("_id", "a", "total", 3, "name", "Ann"), doc("_id", "b", "total", 5, "name", "Bob"));
    Checks.equal(orders.aggregate(pipeline).into(new ArrayList<>()), expected);
    List<Document> out = new ArrayList<>(pipeline);
    out.add(doc("$out", "totals"));
    orders.aggregate(out).toCollection();
    Checks.equal(all(db.getCollection("totals")), expected);
  }

  private void collections() {
    db.getCollection("made").drop();
    db.getCollection("renamed").drop();
    db.createCollection("made", new CreateCollectionOptions().capped(true).sizeInBytes(4096).maxDocuments(2));
    db.getCollection("made").insertMany(List.of(doc("_id", 1), doc("_id", 2), doc("_id", 3)));
    Checks.equal(db.getCollection("made").find().into(new ArrayList<>()), List.of(doc("_id", 2), doc("_id", 3)));
    Document listed = db.listCollections().filter(eq("name", "made")).first();
    Checks.equal(listed.get("options", Document.class).getBoolean("capped"), true);
    db.getCollection("made").renameCollection(new MongoNamespace(db.getName(), "renamed"));
    db.getCollection("renamed").drop();
    Checks.equal(db.listCollections().filter(eq("name", "renamed")).first(), null);
  }
}

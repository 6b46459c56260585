import static com.mongodb.client.model.Filters.eq;

import com.mongodb.MongoGridFSException;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.gridfs.GridFSBucket;
import com.mongodb.client.gridfs.GridFSBuckets;
import com.mongodb.client.gridfs.model.GridFSFile;
import com.mongodb.client.gridfs.model.GridFSUploadOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import org.bson.Document;
import org.bson.types.ObjectId;

/** Checks GridFS. */
final class Files {
  private final MongoDatabase db;

  Files(MongoDatabase db) {
    this.db = db;
  }

  void run() {
    Checks.check("GridFS stores, renames and deletes a file", this::keeps);
  }

  private static byte[] read(GridFSBucket bucket, ObjectId id) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    bucket.downloadToStream(id, out);
    return out.toByteArray();
  }

  private void keeps() {
    GridFSBucket bucket = GridFSBuckets.create(db, "things").withChunkSizeBytes(1000);
    bucket.drop();
    byte[] content = new byte[3500];
    for (int i = 0; i < content.length; i++) content[i] = (byte) (i % 251);
    GridFSUploadOptions options = new GridFSUploadOptions().metadata(new Document("kind", "test"));
    ObjectId id = bucket.uploadFromStream("a.bin", new ByteArrayInputStream(content), options);
    Checks.equalBytes(read(bucket, id), content);
    Checks.equal(db.getCollection("things.chunks").countDocuments(), 4L);
    bucket.rename(id, "b.bin");
    GridFSFile file = bucket.find(eq("filename", "b.bin")).first();
    Checks.equal(file.getLength(), 3500L);
    Checks.equal(file.getMetadata(), new Document("kind", "test"));
    bucket.delete(id);
    Checks.equal(db.getCollection("things.chunks").countDocuments(), 0L);
    Checks.thrown(MongoGridFSException.class, () -> read(bucket, id));
  }
}

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { check, thrownBy } from './checks.mjs';

/** @param {typeof import('mongodb')} driver @param {import('mongodb').Db} db */
export async function files(driver, db) {
  await check('GridFS stores, renames and deletes a file', async () => {
    const bucket = new driver.GridFSBucket(db, { bucketName: 'things', chunkSizeBytes: 1000 });
    await bucket.drop().catch(() => undefined);
    const content = Buffer.from(Array.from({ length: 3500 }, (_, i) => i % 251));
    const upload = bucket.openUploadStream('a.bin', { metadata: { kind: 'test' } });
    upload.end(content);
    await once(upload, 'finish');
    const read = async (...options) => {
      const parts = [];
      for await (const part of bucket.openDownloadStream(upload.id, ...options)) parts.push(part);
      return Buffer.concat(parts);
    };
    assert.ok(content.equals(await read()));
    assert.ok(content.subarray(900, 2100).equals(await read({ start: 900, end: 2100 })));
    assert.equal(await db.collection('things.chunks').countDocuments(), 4);
    await bucket.rename(upload.id, 'b.bin');
    const [file] = await bucket.find({ filename: 'b.bin' }).toArray();
    assert.deepEqual([file.length, file.chunkSize, file.metadata], [3500, 1000, { kind: 'test' }]);
    await bucket.delete(upload.id);
    assert.equal(await db.collection('things.chunks').countDocuments(), 0);
    assert.match((await thrownBy(read)).message, /FileNotFound/);
  });
}

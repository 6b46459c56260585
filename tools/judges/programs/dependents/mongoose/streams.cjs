'use strict';
const { Readable } = require('node:stream');
const { once } = require('node:events');
const { step, thrownBy, isSet } = require('../report.cjs');

const changed = ({ operationType, ns, documentKey, fullDocument, updateDescription }) => ({
  operationType,
  ns,
  documentKey,
  fullDocument,
  updateDescription,
});

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const Note = mongoose.model('Note', new Schema({ _id: Number, text: String }, { versionKey: false }));
  await Note.init();

  if (!isSet) {
    await step('a change stream on a standalone server', async () => {
      const error = await new Promise(resolve => Note.watch().once('error', resolve));
      return [error.name, error.code, error.codeName];
    });
  } else {
    await step('a change stream by events', async () => {
      const stream = Note.watch([], { fullDocument: 'updateLookup' });
      await once(stream, 'ready');
      const seen = [];
      stream.on('change', change => {
        seen.push(changed(change));
      });
      // Wait for each change, because the server looks up the document when it sends the change of an update.
      for (const write of [
        () => Note.create({ _id: 1, text: 'a' }),
        () => Note.updateOne({ _id: 1 }, { text: 'b' }),
        () => Note.replaceOne({ _id: 1 }, { text: 'c' }),
        () => Note.deleteOne({ _id: 1 }),
      ]) {
        const arrived = once(stream, 'change');
        await write();
        await arrived;
      }
      const closed = once(stream, 'close');
      await stream.close();
      await closed;
      return [stream.constructor.name, stream.closed, seen];
    });
    await step('a change stream by iteration', async () => {
      const stream = Note.watch([{ $match: { operationType: 'insert' } }], {
        hydrate: true,
        fullDocument: 'updateLookup',
      });
      const first = stream.next();
      await new Promise(resolve => setTimeout(resolve, 150));
      await Note.insertMany([
        { _id: 2, text: 'x' },
        { _id: 3, text: 'y' },
      ]);
      const found = [await first, await stream.next()];
      const token = stream.driverChangeStream?.resumeToken ?? stream.resumeToken;
      await stream.close();
      return [
        found.map(({ fullDocument }) => [fullDocument.constructor.modelName, fullDocument.toObject()]),
        token !== undefined,
        await thrownBy(() => stream.next()),
      ];
    });
    await step('a change stream that resumes', async () => {
      const stream = Note.watch();
      await once(stream, 'ready');
      const first = once(stream, 'change');
      await Note.create({ _id: 4, text: 'first' });
      const [{ _id: resumeAfter }] = await first;
      await stream.close();
      await Note.create({ _id: 5, text: 'missed' });
      const again = Note.watch([], { resumeAfter });
      const change = changed(await again.next());
      await again.close();
      return change;
    });
    await step('change streams of the connection', async () => {
      const stream = mongoose.connection.watch();
      await once(stream, 'ready');
      const change = once(stream, 'change');
      await Note.create({ _id: 6, text: 'of the database' });
      const [seen] = await change;
      await stream.close();
      return changed(seen);
    });
    await step('a bad pipeline of a change stream', async () => {
      const stream = Note.watch([{ $nope: 1 }]);
      const error = await new Promise(resolve => stream.once('error', resolve));
      await stream.close();
      return [error.name, error.code, error.codeName];
    });
  }
  await step('GridFS', async () => {
    const { GridFSBucket } = mongoose.mongo;
    const bucket = new GridFSBucket(mongoose.connection.db, { bucketName: 'files', chunkSizeBytes: 1024 });
    const upload = bucket.openUploadStream('a.txt', { metadata: { kind: 'text' } });
    Readable.from([Buffer.alloc(1500, 'a'), Buffer.alloc(1500, 'b')]).pipe(upload);
    await once(upload, 'finish');
    const [file] = await bucket.find({ filename: 'a.txt' }).toArray();
    const read = async stream => {
      let length = 0;
      for await (const chunk of stream) length += chunk.length;
      return length;
    };
    const lengths = [
      await read(bucket.openDownloadStream(upload.id)),
      await read(bucket.openDownloadStreamByName('a.txt', { start: 1000, end: 2000 })),
    ];
    await bucket.rename(upload.id, 'b.txt');
    const renamed = (await bucket.find().toArray()).map(({ filename, length, chunkSize, metadata }) => ({
      filename,
      length,
      chunkSize,
      metadata,
    }));
    const missing = await thrownBy(() => read(bucket.openDownloadStreamByName('nope')));
    await bucket.delete(upload.id);
    return [
      bucket.constructor.name,
      Object.keys(file).sort(),
      upload.gridFSFile?.filename,
      lengths,
      renamed,
      missing.name,
      (await thrownBy(() => bucket.delete(upload.id))).name,
    ];
  });
};

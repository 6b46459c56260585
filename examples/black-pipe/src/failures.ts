import { MongoClient } from '@tessera/mongodb';
import { any } from '@tessera/server';
import { startBlackPipe, startServer } from 'tessera-server';

/** One sentence that describes what the driver did. */
export type Report = string;

/** The connection fails before the reply. The driver retries the read on another connection. */
export const lostRead = async (): Promise<Report> => {
  await using pipe = await startBlackPipe();
  const client = new MongoClient(pipe.uri);
  const found = client.db('shop').collection('films').findOne({ title: 'M' });
  const first = await pipe.expect('find', { filter: { title: 'M' } });
  first.hangUp('rst');
  const again = await pipe.expect('find', { filter: { title: 'M' } });
  again.cursor([{ _id: 1, title: 'M' }]);
  const film = await found;
  await client.close();
  const which = again.connection.id === first.connection.id ? 'the same' : 'another';
  return `The driver retried the find on ${which} connection and found ${String(film?.['title'])}.`;
};

/** The server reports that it is shutting down. The driver retries the write with the same txnNumber. */
export const refusedWrite = async (): Promise<Report> => {
  const hello = { setName: 'rs', hosts: ['127.0.0.1:1'], me: '127.0.0.1:1', setVersion: 1 };
  await using pipe = await startBlackPipe({ hello });
  const client = new MongoClient(`${pipe.uri}?directConnection=true`);
  const inserted = client.db('shop').collection('films').insertOne({ title: 'M' });
  const first = await pipe.expect('insert', { txnNumber: any.long });
  first.error(91, { labels: ['RetryableWriteError'] });
  const again = await pipe.expect('insert', { txnNumber: first.command['txnNumber'] });
  again.ok({ n: 1 });
  const { acknowledged } = await inserted;
  await client.close();
  return `The driver retried the insert with the same txnNumber, and it was ${acknowledged ? 'acknowledged' : 'not acknowledged'}.`;
};

/** The server executes an update, but the reply is lost. The retry does not execute the update again. */
export const lostAnswer = async (): Promise<Report> => {
  await using server = await startServer({ replicaSet: 'rs' });
  const client = new MongoClient(server.uri);
  const films = client.db('shop').collection('films');
  const held = server.intercept('update', {}, { at: 'applied' });
  const updated = films.updateOne({ title: 'M' }, { $inc: { seen: 1 } }, { upsert: true });
  (await held).hangUp();
  await updated;
  const film = await films.findOne({ title: 'M' });
  await client.close();
  return `The update was sent twice and executed ${String(film?.['seen'])} time.`;
};

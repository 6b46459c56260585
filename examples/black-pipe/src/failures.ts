import { MongoClient } from '@tessera/mongodb';
import { any } from '@tessera/server';
import { startBlackPipe, startServer } from 'tessera-server';

/** One sentence on what the driver did. */
export type Told = string;

/** The connection is lost before the answer: a read is sent once more, on another connection. */
export const lostRead = async (): Promise<Told> => {
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
  return `the find came again on ${which} connection, and found ${String(film?.['title'])}`;
};

/** A server that shuts down says so: the write is sent once more, under the same number. */
export const refusedWrite = async (): Promise<Told> => {
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
  return `the insert came again with the same txnNumber, and was ${acknowledged ? 'acknowledged' : 'not acknowledged'}`;
};

/** A living server does its work and its answer is lost: the second attempt changes nothing more. */
export const lostAnswer = async (): Promise<Told> => {
  await using server = await startServer({ replicaSet: 'rs' });
  const client = new MongoClient(server.uri);
  const films = client.db('shop').collection('films');
  const held = server.intercept('update', {}, { at: 'applied' });
  const updated = films.updateOne({ title: 'M' }, { $inc: { seen: 1 } }, { upsert: true });
  (await held).hangUp();
  await updated;
  const film = await films.findOne({ title: 'M' });
  await client.close();
  return `the update was sent twice and carried out ${String(film?.['seen'])} time`;
};

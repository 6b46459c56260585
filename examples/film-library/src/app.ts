import { GridFSBucket, MongoServerError, ObjectId } from '@tessera/mongodb';
import type { ChangeStream, ChangeStreamInsertDocument, Filter, MongoClient } from '@tessera/mongodb';
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';

export interface Film {
  _id: ObjectId;
  title: string;
  year: number;
  /** How many copies can be lent now. */
  copies: number;
}

export interface Loan {
  _id: ObjectId;
  film: ObjectId;
  reader: string;
  since: Date;
}

interface ById {
  Params: { id: string };
}

const largestPoster = 2 ** 20;

type NewLoan = ChangeStreamInsertDocument<Loan>;

const eventOf = ({ fullDocument }: NewLoan): string => `data: ${JSON.stringify(fullDocument)}\n\n`;

async function* eventsOf(loans: ChangeStream<Loan, NewLoan>): AsyncGenerator<string> {
  const first = await loans.tryNext();
  // The change stream is open now: no later loan is missed.
  yield ': ready\n\n';
  if (first !== null) yield eventOf(first);
  for await (const loan of loans) yield eventOf(loan);
}

/** Creates the web application on the database of the client. Its routes read and write films, posters and loans. */
export const createApp = async (client: MongoClient): Promise<FastifyInstance> => {
  const db = client.db();
  const films = db.collection<Film>('films');
  const loans = db.collection<Loan>('loans');
  const posters = new GridFSBucket(db, { bucketName: 'posters' });
  await films.createIndex({ title: 1, year: 1 }, { unique: true });
  await loans.createIndex({ film: 1, reader: 1 }, { unique: true });

  const app = fastify();
  app.addContentTypeParser('image/png', { parseAs: 'buffer', bodyLimit: largestPoster }, (_, body, done) => {
    done(null, body);
  });
  // A duplicate title or a second loan is a conflict, not a failure of the server.
  app.setErrorHandler(async (error, _, reply) => {
    const isDuplicate = error instanceof MongoServerError && error.code === 11000;
    if (isDuplicate) await reply.code(409).send({ message: 'It exists already.', key: error.keyValue as unknown });
    else await reply.send(error);
  });

  app.post<{ Body: Omit<Film, '_id'> }>('/films', async (request, reply) => {
    const { title, year, copies } = request.body;
    const { insertedId } = await films.insertOne({ _id: new ObjectId(), title, year, copies });
    return reply.code(201).send({ id: insertedId });
  });

  // A page begins after the last film of the page before, so deep pages take no longer than the first.
  app.get<{ Querystring: { after?: string } }>('/films', async request => {
    const { after } = request.query;
    const filter: Filter<Film> = after === undefined ? {} : { _id: { $gt: new ObjectId(after) } };
    const page = await films.find(filter).sort({ _id: 1 }).limit(20).toArray();
    return { films: page, after: page.length < 20 ? undefined : page.at(-1)?._id };
  });

  // One transaction takes the copy and records the loan, so that neither happens without the other.
  app.post<ById & { Body: { reader: string } }>('/films/:id/loans', async (request, reply) => {
    const film = new ObjectId(request.params.id);
    const loan: Loan = { _id: new ObjectId(), film, reader: request.body.reader, since: new Date() };
    const isLent = await client.withSession(session =>
      session.withTransaction(async () => {
        const taken = await films.updateOne({ _id: film, copies: { $gt: 0 } }, { $inc: { copies: -1 } }, { session });
        if (taken.modifiedCount === 0) return false;
        await loans.insertOne(loan, { session });
        return true;
      }),
    );
    return isLent ? reply.code(201).send(loan) : reply.code(409).send({ message: 'All copies are lent.' });
  });

  app.put<ById & { Body: Buffer }>('/films/:id/poster', async (request, reply) => {
    const upload = posters.openUploadStream(request.params.id);
    upload.end(request.body);
    await new Promise((resolve, reject) => upload.on('finish', resolve).on('error', reject));
    return reply.code(204).send();
  });
  app.get<ById>('/films/:id/poster', (request, reply) =>
    reply.type('image/png').send(posters.openDownloadStreamByName(request.params.id)),
  );

  // Server-sent events: one for each new loan. The change stream resumes by itself after a failover.
  app.get('/loans/events', (_, reply) => {
    const changes = loans.watch<Loan, NewLoan>([{ $match: { operationType: 'insert' } }]);
    reply.raw.on('close', () => void changes.close());
    return reply.type('text/event-stream').send(Readable.from(eventsOf(changes)));
  });

  return app;
};

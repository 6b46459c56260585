import { deepStrictEqual as equal } from 'node:assert';
import { MongoClient } from '@tessera/mongodb';
import type { MongoClientOptions } from '@tessera/mongodb';
import { password, scramUsers } from './secured.js';
import type { Secured } from './secured.js';

/** What a client does on an engine that is secured. @throws what went wrong */
export type SecuredExercise = (engine: Secured) => Promise<void>;

/** Milliseconds that a client which is to be refused waits. */
const serverSelectionTimeoutMS = 2_000;

/** As whom the engine sees the client. */
const statusOf = async ({ uri }: Secured, options: MongoClientOptions): Promise<unknown> => {
  await using client = new MongoClient(uri, { serverSelectionTimeoutMS, ...options });
  await client.db('abilities').collection('visits').insertOne({ at: new Date() });
  const { authInfo } = await client.db('admin').command({ connectionStatus: 1 });
  return (authInfo as { authenticatedUsers: unknown }).authenticatedUsers;
};

/** The code of the server that a client ends with; its words where there is none. */
const refusal = async (engine: Secured, options: MongoClientOptions): Promise<unknown> => {
  const error = await statusOf(engine, options).then(
    () => new Error('it was let in'),
    (reason: unknown) => reason as Error,
  );
  return 'code' in error ? error.code : error.message;
};

const unauthorized = 13;
const authenticationFailed = 18;

/** Named, and found by negotiation; with the right password, with a wrong one, and with none. */
const scram =
  (mechanism: keyof typeof scramUsers): SecuredExercise =>
  async engine => {
    const username = scramUsers[mechanism];
    const auth = { username, password };
    equal(await statusOf(engine, { ...engine.trusting, auth, authMechanism: mechanism }), [
      { user: username, db: 'admin' },
    ]);
    equal(await statusOf(engine, { ...engine.trusting, auth }), [{ user: username, db: 'admin' }]);
    const wrong = { auth: { username, password: 'open barley' }, authMechanism: mechanism };
    equal(await refusal(engine, { ...engine.trusting, ...wrong }), authenticationFailed);
    equal(await refusal(engine, engine.trusting), unauthorized);
  };

const x509: SecuredExercise = async engine => {
  const by = (tlsCertificateKeyFile: string): MongoClientOptions => ({
    ...engine.trusting,
    authMechanism: 'MONGODB-X509',
    tlsCertificateKeyFile,
  });
  equal(await statusOf(engine, by(engine.certified)), [{ user: 'CN=carol', db: '$external' }]);
  equal(await refusal(engine, by(engine.stranger)), authenticationFailed);
};

const count = 1_000;

/** As whoever may come in: documents come and go whole, and an engine that is not trusted is not spoken to. */
const tls =
  (admitted: MongoClientOptions): SecuredExercise =>
  async engine => {
    const documents = Array.from({ length: count }, (_, _id) => ({ _id, text: 'Metropolis '.repeat(_id % 100) }));
    await using client = new MongoClient(engine.uri, { ...engine.trusting, ...admitted });
    const films = client.db('abilities').collection<(typeof documents)[number]>('films');
    await films.insertMany(documents);
    equal(await films.find({}, { batchSize: 300 }).sort({ _id: 1 }).toArray(), documents);
    const distrust = await refusal(engine, { ...engine.distrusting, ...admitted });
    equal(/signed by no authority that is trusted here/.exec(String(distrust))?.length, 1, String(distrust));
  };

const asBob: MongoClientOptions = { auth: { username: scramUsers['SCRAM-SHA-256'], password } };

/** @param asks whether the engine asks for a password */
export const securedExercises = (
  asks: boolean,
): Readonly<Record<'SCRAM-SHA-1' | 'SCRAM-SHA-256' | 'X.509' | 'TLS', SecuredExercise>> => ({
  'SCRAM-SHA-1': scram('SCRAM-SHA-1'),
  'SCRAM-SHA-256': scram('SCRAM-SHA-256'),
  'X.509': x509,
  TLS: tls(asks ? asBob : {}),
});

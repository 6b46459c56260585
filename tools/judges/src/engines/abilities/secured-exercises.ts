import { deepStrictEqual as equal } from 'node:assert';
import { MongoClient } from '@tessera/mongodb';
import type { MongoClientOptions } from '@tessera/mongodb';
import { password, scramUsers } from './secured.js';
import type { Secured } from './secured.js';

/**
 * An exercise on an engine with TLS and, if it supports them, users.
 * @throws Error if the engine does not behave as expected
 */
export type SecuredExercise = (engine: Secured) => Promise<void>;

/** How long a client that must be rejected waits, in milliseconds. */
const serverSelectionTimeoutMS = 2_000;

/** Returns the authenticated users of a connection, as the engine reports them. */
const statusOf = async ({ uri }: Secured, options: MongoClientOptions): Promise<unknown> => {
  await using client = new MongoClient(uri, { serverSelectionTimeoutMS, ...options });
  await client.db('abilities').collection('visits').insertOne({ at: new Date() });
  const { authInfo } = await client.db('admin').command({ connectionStatus: 1 });
  return (authInfo as { authenticatedUsers: unknown }).authenticatedUsers;
};

/** Returns the server's error code for a client that must be rejected, or the message if the error has no code. */
const refusal = async (engine: Secured, options: MongoClientOptions): Promise<unknown> => {
  const error = await statusOf(engine, options).then(
    () => new Error('The engine accepted the client.'),
    (reason: unknown) => reason as Error,
  );
  return 'code' in error ? error.code : error.message;
};

const unauthorized = 13;
const authenticationFailed = 18;

/** Authenticates with a named and with a negotiated mechanism, then with a wrong password and without credentials. */
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

/** Writes and reads documents over TLS, and checks that the driver rejects a certificate of an untrusted authority. */
const tls =
  (admitted: MongoClientOptions): SecuredExercise =>
  async engine => {
    const documents = Array.from({ length: count }, (_, _id) => ({ _id, text: 'Metropolis '.repeat(_id % 100) }));
    await using client = new MongoClient(engine.uri, { ...engine.trusting, ...admitted });
    const films = client.db('abilities').collection<(typeof documents)[number]>('films');
    await films.insertMany(documents);
    equal(await films.find({}, { batchSize: 300 }).sort({ _id: 1 }).toArray(), documents);
    const distrust = await refusal(engine, { ...engine.distrusting, ...admitted });
    equal(/SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE/.test(String(distrust)), true, String(distrust));
  };

const asBob: MongoClientOptions = { auth: { username: scramUsers['SCRAM-SHA-256'], password } };

/** @param authenticates whether the engine requires a password */
export const securedExercises = (
  authenticates: boolean,
): Readonly<Record<'SCRAM-SHA-1' | 'SCRAM-SHA-256' | 'X.509' | 'TLS', SecuredExercise>> => ({
  'SCRAM-SHA-1': scram('SCRAM-SHA-1'),
  'SCRAM-SHA-256': scram('SCRAM-SHA-256'),
  'X.509': x509,
  TLS: tls(authenticates ? asBob : {}),
});

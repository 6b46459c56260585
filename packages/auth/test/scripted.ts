/** A connection whose server sends scripted replies, and a runtime with scripted random bytes. */
import { bson } from '@tessera/bson';
import { MongoError } from '@tessera/contracts';
import type { Connection, Conversation, Document, Hello, MongoError as Failure } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { Binary } from 'bson';
import type { MechanismDeps } from '@tessera/auth';

export const binary = (text: string): Binary => new Binary(Buffer.from(text, 'utf8'));

export const ADDRESS = 'db:27017';

export interface Scripted {
  readonly connection: Connection;
  /** The commands received, with payloads as text. */
  readonly asked: readonly (readonly [db: string, command: Document])[];
}

const readable = (command: Document): Document =>
  Object.fromEntries(
    Object.entries(command).map(([name, value]) => [
      name,
      value instanceof Binary ? Buffer.from(value.value()).toString('utf8') : value,
    ]),
  );

/** Each reply is for one command. A reply with `ok: 0` is thrown, as by a real connection. */
export const scripted = (
  answers: readonly (Document | ((command: Document) => Document))[],
  hello: Document = {},
): Scripted => {
  const asked: (readonly [string, Document])[] = [];
  const connection: Connection = {
    id: 1,
    address: ADDRESS,
    hello: { document: hello } as Hello,
    closed: false,
    start: () => {
      throw new Error('not in this play');
    },
    command: async (db, command) => {
      const given = answers[asked.length];
      asked.push([db, readable(command)]);
      if (given === undefined) throw new Error(`the script has no answer to ${Object.keys(command)[0]}`);
      const reply = typeof given === 'function' ? given(command) : given;
      if (reply['ok'] === 0)
        throw new MongoError('server', `failed: ${reply['errmsg']}`, {
          code: reply['code'],
          codeName: reply['codeName'],
          reply,
          origin: { phase: 'auth', sent: true, address: ADDRESS },
        });
      return reply;
    },
    detach: () => true,
    close: () => undefined,
  };
  return { connection, asked };
};

/** The real runtime with fixed random bytes. */
export const world = (bytes?: Uint8Array): MechanismDeps => {
  const { clock, crypto, host, random, transport } = createNode();
  return {
    bson,
    clock,
    crypto,
    host,
    transport,
    random: { unit: () => random.unit(), bytes: length => bytes ?? random.bytes(length) },
  };
};

export const failure = async (work: Promise<unknown>): Promise<Failure> => {
  try {
    await work;
  } catch (error) {
    if (MongoError.is(error)) return error;
    throw error;
  }
  throw new Error('it went well');
};

export type { Conversation };

import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { Binary, BSON } from 'bson';
import type { Document } from 'bson';
import { MongoClient, MongoError, MongoUnexpectedServerResponseError } from '@tessera/mongodb';

// A malicious server that answers each hello correctly, and each step of SCRAM as the test specifies.

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});

const HELLO = { ismaster: true, helloOk: true, minWireVersion: 0, maxWireVersion: 25, ok: 1 };

/** Returns the reply to a command, or undefined to send none. */
type Reply = (command: Document) => Document | undefined;

const messageOf = (reply: Document, responseTo: number): Buffer => {
  const body = BSON.serialize(reply);
  const message = Buffer.alloc(21 + body.length);
  [message.length, 1, responseTo, 2013, 0].forEach((value, i) => message.writeInt32LE(value, 4 * i));
  message.set(body, 21);
  return message;
};

/** Starts a malicious server. Returns its address and the names of the commands that it received after each hello. */
const createMaliciousServer = async (reply: Reply): Promise<{ address: string; received: string[] }> => {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    let bytes = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', more => {
      bytes = Buffer.concat([bytes, more]);
      while (bytes.length >= 16 && bytes.length >= bytes.readInt32LE(0)) {
        const length = bytes.readInt32LE(0);
        const command = BSON.deserialize(bytes.subarray(21, length));
        const id = bytes.readInt32LE(4);
        bytes = bytes.subarray(length);
        const [name = ''] = Object.keys(command);
        if (!/^(hello|isMaster)$/.test(name)) received.push(name);
        const answer = reply(command);
        if (answer !== undefined) socket.write(messageOf(answer, id));
      }
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise(resolve => server.close(resolve));
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, received };
};

const step = (text: string, done = false): Document => ({
  conversationId: 1,
  done,
  payload: new Binary(Buffer.from(text)),
});

/** Returns the client's nonce from the speculative authentication in a hello command. */
const nonceIn = (command: Document): string =>
  Buffer.from((command['speculativeAuthenticate'] as { payload: Binary }).payload.value())
    .toString()
    .replace(/^.*r=/, '');

const isGreeting = (command: Document): boolean => 'speculativeAuthenticate' in command;
const greet = (more: Document = {}): Document => ({ ...HELLO, ...more });

/** Inserts a document. Returns the error and how long the insert took. */
const insertError = async (address: string, options = ''): Promise<readonly [error: MongoError, took: number]> => {
  const client = new MongoClient(`mongodb://ada:hunter2@${address}/?directConnection=true${options}`);
  closing.push(() => client.close());
  const began = performance.now();
  try {
    await client.db('shop').collection('c').insertOne({ x: 1 });
  } catch (error) {
    expect(inspect(error, { depth: 20 })).not.toContain('hunter2');
    return [error as MongoError, performance.now() - began];
  }
  throw new Error('it was inserted');
};

test.each<readonly [string, Reply, readonly string[], RegExp]>([
  [
    "a nonce that does not begin with the client's",
    command => (isGreeting(command) ? greet({ speculativeAuthenticate: step('r=mine,s=QUJD,i=15000') }) : greet()),
    [],
    /its nonce does not begin with the client's nonce/,
  ],
  [
    'too few iterations',
    command =>
      isGreeting(command) ? greet({ speculativeAuthenticate: step(`r=${nonceIn(command)}more,s=QUJD,i=1`) }) : greet(),
    [],
    /fewer than 4096 iterations/,
  ],
  [
    '2^31 iterations',
    command =>
      isGreeting(command)
        ? greet({ speculativeAuthenticate: step(`r=${nonceIn(command)}more,s=QUJD,i=2147483648`) })
        : greet(),
    [],
    /more than 1000000 iterations/,
  ],
  [
    'a signature that was made without the password',
    command => {
      if (isGreeting(command))
        return greet({ speculativeAuthenticate: step(`r=${nonceIn(command)}more,s=QUJD,i=4096`) });
      return 'saslContinue' in command ? { ...step('v=AAAA', true), ok: 1 } : greet();
    },
    ['saslContinue'],
    /its signature is wrong/,
  ],
  [
    'a list of mechanisms that is not an array',
    command => greet(isGreeting(command) ? { saslSupportedMechs: 5 } : {}),
    [],
    /its saslSupportedMechs is not a list of mechanisms/,
  ],
  [
    'a reply that is not a SCRAM step',
    command => ('saslStart' in command ? { ok: 1 } : greet()),
    ['saslStart'],
    /it did not say whether the conversation is done/,
  ],
])(
  'a server with %s causes one immediate error, and receives no further command',
  async (_what, reply, received, expected) => {
    const peer = await createMaliciousServer(reply);
    const [error, took] = await insertError(peer.address);
    expect(error).toBeInstanceOf(MongoUnexpectedServerResponseError);
    expect(error.message).toMatch(expected);
    expect(error.message).toContain(peer.address);
    expect(peer.received).toEqual(received);
    expect(took).toBeLessThan(5000);
  },
);

test('authentication with a server that never replies fails after connectTimeoutMS', async () => {
  const { address, received } = await createMaliciousServer(command => ('saslStart' in command ? undefined : greet()));
  const [error, took] = await insertError(address, '&connectTimeoutMS=300&retryWrites=false');
  expect(error.message).toMatch(/'saslStart' at .* was not answered within \d+ ms/);
  expect(received).toEqual(['saslStart']);
  expect(took).toBeLessThan(5000);
});

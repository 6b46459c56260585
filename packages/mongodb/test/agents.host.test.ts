/** Tracing agents, which wrap `Connection.prototype.command` of the module lib/cmap/connection.js. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { MongoClient } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { agentParts } from '../src/agents.js';

/** The method that agents wrap. */
type Command = (namespace: object, command: object, options: object) => Promise<unknown>;

const { Connection } = createRequire(import.meta.url)('../lib/cmap/connection.js') as {
  readonly Connection: { readonly prototype: { command: Command } };
};
const original = Connection.prototype.command;
const caller = new AsyncLocalStorage<string>();

let server: RunningServer;
let spans: unknown[];

/** Wraps the method, as agents do. */
const wrap = (): void => {
  Connection.prototype.command = function (this: { readonly address: string }, namespace, command, options) {
    const [name] = Object.keys(command);
    const span = [caller.getStore(), name, namespace.toString(), this.address === server.address];
    const reply = original.call(this, namespace, command, options) as Promise<{ ok: number }>;
    reply.then(
      ({ ok }) => spans.push([...span, ok]),
      (error: Error) => spans.push([...span, error.message]),
    );
    return reply;
  };
};

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  spans = [];
});
afterEach(() => {
  Connection.prototype.command = original;
});

test('without an agent, a client gets no additional parts', () => {
  expect(agentParts()).toBeUndefined();
});

test('an agent sees each command with its namespace, address and outcome, in the context of its caller', async () => {
  wrap();
  // The second and third operation wait for the connection of the first.
  const client = new MongoClient(server.uri, { maxPoolSize: 1 });
  const films = client.db('shop').collection<{ _id: number }>('films');
  await Promise.all([
    caller.run('a', () => films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }])),
    caller.run('b', () => client.db('shop').command({ ping: 1 })),
    caller.run('c', () => films.insertOne({ _id: 1 })).catch(() => undefined),
  ]);
  await caller.run('d', () => films.find({}, { batchSize: 2 }).toArray());
  await client.close();
  expect(spans).toEqual([
    ['a', 'insert', 'shop.films', true, 1],
    ['b', 'ping', 'shop.$cmd', true, 1],
    ['c', 'insert', 'shop.films', true, 1],
    ['d', 'find', 'shop.films', true, 1],
    ['d', 'getMore', 'shop.films', true, 1],
    [undefined, 'endSessions', 'admin.$cmd', true, 1],
  ]);
});

test('an agent sees a failed command, and a command with credentials by its name alone', async () => {
  wrap();
  const client = new MongoClient(server.uri);
  const db = client.db('shop');
  await caller.run('a', () => db.command({ nonsense: 1 })).catch(() => undefined);
  await caller.run('b', () => db.command({ createUser: 'ada', pwd: 'secret', roles: [] })).catch(() => undefined);
  await client.close();
  expect(spans.slice(0, 2)).toEqual([
    ['a', 'nonsense', 'shop.$cmd', true, "no such command: 'nonsense'"],
    ['b', 'createUser', 'shop.$cmd', true, undefined],
  ]);
});

test('an agent that throws an error does not fail the command', async () => {
  Connection.prototype.command = () => {
    throw new Error('The agent is broken.');
  };
  const client = new MongoClient(server.uri);
  expect(await client.db('shop').command({ ping: 1 })).toEqual({ ok: 1 });
  await client.close();
});

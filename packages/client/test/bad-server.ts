/** One scripted server with invalid replies, and the outcome of an operation against it. */
import { MongoClient } from '@tessera/client';
import type { Collection, Db, MongoServerError } from '@tessera/client';
import type { Millis } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import type { Document } from 'bson';
import { expect } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import type { Respond } from './scripted-server.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

export interface Handles {
  readonly client: MongoClient;
  readonly db: Db;
  readonly films: Collection;
}

/** The fields of an error that applications see. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly code: unknown;
  readonly labels: readonly string[];
}

export interface Outcome {
  readonly value: unknown;
  readonly error: ThrownError | undefined;
  /** The commands that the server had received when the operation ended. */
  readonly received: readonly string[];
  readonly commands: readonly Document[];
  readonly lasted: Millis;
}

export const member = { setName: 'rs', setVersion: 1, hosts: ['db1:27017'] };
export const mongos = { msg: 'isdbgrid' };

/** The number of commands after which the test assumes an endless loop. */
const tooMany = 100;

/** Runs an operation. @param answer the reply to each of the application's commands; a document is sent every time */
export const ask = async (
  answer: Document | Respond,
  operate: (handles: Handles) => Promise<unknown>,
  hello: Document = member,
): Promise<Outcome> => {
  const world = createWorld({ turn }, { seed: 1 });
  const { clock } = world.runtime;
  const commands: Document[] = [];
  let value: unknown;
  let error: ThrownError | undefined;
  let received: readonly string[] = [];
  let lasted = 0;
  let isConnected = false;
  await world.run(async () => {
    const server = await scriptServer(world, 'db1:27017', (command, peer) => {
      if (isHello(command)) return { ...HELLO, ...hello };
      if ('endSessions' in command || (!isConnected && 'ping' in command)) return {};
      commands.push(command);
      if ('killCursors' in command) return {};
      expect(commands.length).toBeLessThan(tooMany);
      return typeof answer === 'function' ? answer(command, peer) : answer;
    });
    const client = new MongoClient('mongodb://db1', {}, { runtime: world.runtime });
    await client.connect();
    isConnected = true;
    const began = clock.now();
    const db = client.db('test');
    try {
      value = await operate({ client, db, films: db.collection('films') });
    } catch (reason) {
      const { name, message, code, errorLabels } = reason as MongoServerError;
      error = { name, message, code, labels: errorLabels };
    }
    lasted = Math.round(clock.now() - began);
    received = commands.map(command => Object.keys(command)[0]!);
    await client.close();
    await server.close();
    await clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
  return { value, error, received, commands, lasted };
};

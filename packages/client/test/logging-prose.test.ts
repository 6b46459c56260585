import { createLog } from '@tessera/log';
import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { LogMessage } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const ELLIPSIS = '...'.length;

/** Runs a test with a client that logs. Returns the log messages. Nothing may stay open afterwards. */
const logged = async (
  options: MongoClientOptions,
  respond: (client: MongoClient) => Promise<void>,
): Promise<LogMessage[]> => {
  const world = createWorld({ turn, crypto: createNode().crypto });
  const logs: LogMessage[] = [];
  await world.run(async () => {
    const server = createServer(world.at('db1'));
    const listening = await server.listen('db1:27017');
    const given = { mongodbLogPath: { write: (log: LogMessage) => logs.push(log) }, ...options };
    const client = new MongoClient('mongodb://db1/shop', given, { runtime: world.runtime, parts: { log: createLog } });
    try {
      await respond(client);
    } finally {
      await client.close();
      await listening.close();
      await server.close();
    }
    await world.runtime.clock.sleep(2_000);
  });
  expect(world.leftovers()).toEqual([]);
  return logs;
};

const commands = { mongodbLogComponentSeverities: { command: 'debug' } } as const;
const lengths = (logs: readonly LogMessage[], name: string): readonly unknown[] =>
  logs
    .filter(log => log['commandName'] === name)
    .map(log => [log.message, ((log['command'] ?? log['reply'] ?? log['failure']) as string).length]);

describe('the command component', () => {
  test('Command Logging and Monitoring, prose test 1: by default documents are truncated at 1000 characters', async () => {
    const logs = await logged(commands, async client => {
      const letters = client.db().collection('letters');
      await letters.insertMany(Array.from({ length: 100 }, () => ({ x: 'y' })));
      await letters.find().toArray();
    });
    const [started, inserted] = lengths(logs, 'insert') as [[string, number], [string, number]];
    expect(started).toEqual(['Command started', 1000 + ELLIPSIS]);
    expect(inserted[0]).toBe('Command succeeded');
    expect(inserted[1]).toBeLessThanOrEqual(1000 + ELLIPSIS);
    expect(lengths(logs, 'find')[1]).toEqual(['Command succeeded', 1000 + ELLIPSIS]);
  });

  test('Command Logging and Monitoring, prose test 2: documents are truncated at the configured length', async () => {
    const logs = await logged({ ...commands, mongodbLogMaxDocumentLength: 5 }, async client => {
      await client.db().command({ hello: true });
      await expect(client.db().command({ notARealCommand: true })).rejects.toThrow('notARealCommand');
    });
    expect(lengths(logs, 'hello')).toEqual([
      ['Command started', 5 + ELLIPSIS],
      ['Command succeeded', 5 + ELLIPSIS],
    ]);
    const failure = logs.find(({ message }) => message === 'Command failed')?.['failure'];
    expect(failure).toMatch(/, reply: \{"ok"\.\.\.$/);
  });

  test('Command Logging and Monitoring, prose test 3: a length inside a code point is rounded down, in commands, replies and errors', async () => {
    const broken = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
    const smiles = '😀'.repeat(40);
    /** Returns the lengths of logged commands, replies and error replies, without the ellipsis. */
    const kept = async (limit: number): Promise<readonly number[]> => {
      const logs = await logged({ ...commands, mongodbLogMaxDocumentLength: limit }, async client => {
        await client.db().collection<{ _id: string }>('odd').insertOne({ _id: smiles });
        await client.db().collection('odd').findOne();
        await expect(client.db().command({ [smiles]: 1 })).rejects.toThrow('no such command');
      });
      const found = logs.filter(log => log['commandName'] === 'find')[1]?.['reply'] as string;
      const [received, failed] = logs.filter(log => log['commandName'] === smiles);
      const answer = (failed!['failure'] as string).split(', reply: ')[1]!;
      const documents = [received?.['command'] as string, found, answer];
      for (const document of documents) expect(document).not.toMatch(broken);
      return documents.map(document => document.replace(/\.\.\.$/, '').length);
    };
    // The prefix before the first such character has an even or an odd length.
    expect(await Promise.all([kept(70), kept(71)])).toEqual([
      [70, 69, 70],
      [70, 71, 70],
    ]);
  });
});

describe('Logging', () => {
  test('"Security": commands and replies of authentication and user creation are not logged', async () => {
    const logs = await logged({ mongodbLogComponentSeverities: { default: 'trace' } }, async client => {
      const admin = client.db('admin');
      await admin.command({ createUser: 'ann', pwd: 'hunter2', roles: [] });
      await expect(admin.command({ createUser: 'ann', pwd: 'hunter2', roles: [] })).rejects.toThrow('ann');
      await admin.command({ saslStart: 1, mechanism: 'PLAIN', payload: 'hunter2' }).catch(() => undefined);
    });
    const emitted = logs
      .filter(({ c }) => c === 'command')
      .map(log => log['command'] ?? log['reply'] ?? log['failure']);
    expect(emitted.slice(0, 4)).toEqual([
      '{}',
      '{}',
      '{}',
      expect.stringMatching(
        /^MongoError: 'createUser' failed\. The server's message is omitted because it may contain credentials\. \{"kind":"server","code":51003,/,
      ),
    ]);
    expect(JSON.stringify(logs)).not.toContain('hunter2');
  });

  test('every component logs, and neither handshakes nor heartbeats are logged as commands', async () => {
    const logs = await logged({ mongodbLogComponentSeverities: { default: 'debug' } }, async client => {
      await client.db().command({ ping: 1 });
    });
    expect(logs.filter(({ c }) => c === 'command').map(log => [log['commandName'], log.message])).toEqual([
      ['ping', 'Command started'],
      ['ping', 'Command succeeded'],
      ['endSessions', 'Command started'],
      ['endSessions', 'Command succeeded'],
    ]);
    expect(new Set(logs.map(({ c, message }) => `${c}: ${message}`))).toEqual(
      new Set([
        'topology: Starting topology monitoring',
        'topology: Topology description changed',
        'topology: Starting server monitoring',
        'connection: Connection pool created',
        'topology: Server heartbeat started',
        'serverSelection: Server selection started',
        'serverSelection: Waiting for suitable server to become available',
        'topology: Server heartbeat succeeded',
        'connection: Connection pool ready',
        'serverSelection: Server selection succeeded',
        'connection: Connection checkout started',
        'connection: Connection created',
        'connection: Connection ready',
        'connection: Connection checked out',
        'command: Command started',
        'command: Command succeeded',
        'connection: Connection checked in',
        'connection: Connection pool closed',
        'connection: Connection closed',
        'topology: Server heartbeat failed',
        'topology: Stopped server monitoring',
        'topology: Stopped topology monitoring',
      ]),
    );
  });

  test('logging options without a log part cause a warning', async () => {
    const warnings: string[] = [];
    const world = createWorld({ turn });
    const host = { ...world.runtime.host, warn: (sentence: string) => void warnings.push(sentence) };
    await world.run(async () => {
      const client = new MongoClient('mongodb://db1', commands, { runtime: { ...world.runtime, host } });
      await client.connect().catch(() => undefined);
      await client.close();
    });
    expect(warnings).toEqual([
      'No log is written. To write one, pass createLog of @tessera/log as parts: { log: createLog }.',
    ]);
  });

  test('an invalid option throws from the constructor', () => {
    const open = (options: object) => () =>
      new MongoClient('mongodb://db1', options, { runtime: createWorld({ turn }).runtime });
    expect(open({ mongodbLogPath: {} })).toThrow(
      "The option 'mongodbLogPath' must be stdout, stderr, a path, or an object with write.",
    );
    expect(open({ mongodbLogMaxDocumentLength: -1 })).toThrow("'mongodbLogMaxDocumentLength' must be a whole number");
    expect(open({ mongodbLogComponentSeverities: { command: 'loud' } })).toThrow(
      "The option 'mongodbLogComponentSeverities' must be severities of components, each one of off, emergency,",
    );
  });
});

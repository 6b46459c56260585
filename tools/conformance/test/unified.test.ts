import { createNode } from '@tessera/node';
import { describe, expect, test } from 'vitest';
import type { Feature } from '../src/unified/features.js';
import { casesOf } from '../src/unified/cases.js';
import { createEmbedded } from '../src/unified/embedded.js';
import { merge } from '../src/unified/merge.js';
import { judgeSkips } from '../src/skips.js';
import { runOnBench } from '../src/unified/run.js';

const bench = createEmbedded({ version: '8.2.1', topology: 'replicaset', auth: false }, createNode());

/** What becomes of each test of a file. */
const outcomesOf = async (json: object, name = 'a.json'): Promise<readonly string[]> => {
  const cases = casesOf('suite', [{ name, json }]);
  const results = merge(cases, [await runOnBench(bench, cases)]);
  return results.map(({ outcome, reason }) => [outcome, reason].filter(Boolean).join(': '));
};

interface Case {
  readonly operations: readonly object[];
  readonly [more: string]: unknown;
}

/** What becomes of one test of a file with a client that is observed, a database and a collection. */
const outcome = async ({ description = 'a test', ...more }: Case): Promise<string> => {
  const json = {
    schemaVersion: '1.13',
    createEntities: [
      {
        client: {
          id: 'client',
          observeEvents: ['commandStartedEvent', 'commandSucceededEvent', 'commandFailedEvent'],
          observeLogMessages: { command: 'debug' },
        },
      },
      { database: { id: 'database', client: 'client', databaseName: 'shop' } },
      { collection: { id: 'films', database: 'database', collectionName: 'films' } },
    ],
    initialData: [{ databaseName: 'shop', collectionName: 'films', documents: [{ _id: 1 }] }],
    tests: [{ description, ...more }],
  };
  const [told = 'nothing'] = await outcomesOf(json);
  return told.replace(`on ${bench.name}: `, '');
};

const ping = { name: 'runCommand', object: 'database', arguments: { commandName: 'ping', command: { ping: 1 } } };
const started = { commandStartedEvent: { commandName: 'ping', command: { ping: 1, $db: 'shop' } } };
const succeeded = { commandSucceededEvent: { commandName: 'ping', reply: { ok: { $$type: ['int', 'double'] } } } };
const eventsAre = (...events: readonly object[]): object => ({ expectEvents: [{ client: 'client', events }] });

describe('the runner of unified tests', () => {
  test('events are what is expected, in their order and number', async () => {
    expect(await outcome({ operations: [ping], ...eventsAre(started, succeeded) })).toBe('passed');
    expect(await outcome({ operations: [ping], ...eventsAre(succeeded, started) })).toBe(
      'failed: events of client.0: expected commandSucceededEvent, not commandStarted ping',
    );
    expect(await outcome({ operations: [ping], ...eventsAre(started) })).toBe(
      'failed: expected 1 events of client, not 2: commandStarted ping, commandSucceeded ping',
    );
    const wrong = { commandStartedEvent: { command: { ping: 2 } } };
    expect(await outcome({ operations: [ping], ...eventsAre(wrong, succeeded) })).toBe(
      'failed: events of client.0.commandStartedEvent.command.ping: expected 2, not 1',
    );
  });

  test('results and errors are what is expected', async () => {
    const find = { name: 'find', object: 'films', arguments: { filter: {} } };
    expect(await outcome({ operations: [{ ...find, expectResult: [{ _id: 1 }] }] })).toBe('passed');
    expect(await outcome({ operations: [{ ...find, expectResult: [{ _id: 2 }] }] })).toBe(
      'failed: find.0._id: expected 2, not 1',
    );
    expect(await outcome({ operations: [{ ...ping, expectError: { isError: true } }] })).toBe(
      'failed: runCommand did not fail',
    );
    const unknown = { ...ping, arguments: { commandName: 'pong', command: { pong: 1 } } };
    expect(await outcome({ operations: [{ ...unknown, expectError: { isClientError: false } }] })).toBe('passed');
    expect(await outcome({ operations: [{ ...unknown, expectError: { isClientError: true } }] })).toMatch(
      /^failed: expected an error of the client: /,
    );
    expect(await outcome({ operations: [unknown] })).toMatch(/^failed: no such command: 'pong'/);
  });

  test('log messages are what is expected, and an error is redacted or whole', async () => {
    const failing = (name: string): object => ({
      ...ping,
      arguments: { commandName: name, command: { [name]: 1 } },
      expectError: { isError: true },
    });
    const logged = (name: string, failureIsRedacted: boolean, level = 'debug'): Case => ({
      operations: [failing(name)],
      expectLogMessages: [
        {
          client: 'client',
          messages: [
            {
              ...{ level, component: 'command' },
              data: { message: 'Command started', command: { $$matchAsDocument: { $$matchAsRoot: {} } } },
            },
            { level, component: 'command', failureIsRedacted, data: { message: 'Command failed' } },
          ],
        },
      ],
    });
    expect(await outcome(logged('pong', false))).toBe('passed');
    expect(await outcome(logged('pong', true))).toMatch(
      /^failed: log messages of client.1: expected a redacted failure/,
    );
    expect(await outcome(logged('createUser', true))).toBe('passed');
    expect(await outcome(logged('createUser', false))).toMatch(/expected the whole failure/);
    expect(await outcome(logged('pong', false, 'info'))).toBe(
      'failed: log messages of client.0.level: expected "info", not "debug"',
    );
  });

  test('what it does not know makes a case fail, whatever error is expected', async () => {
    const failing = { expectError: { isError: true } };
    expect(await outcome({ operations: [{ name: 'fly', object: 'films', ...failing }] })).toBe(
      'failed: there is no operation fly of a collection',
    );
    expect(await outcome({ operations: [{ name: 'find', object: 'plays', ...failing }] })).toBe(
      'failed: there is no entity plays',
    );
    const odd = { name: 'insertOne', object: 'films', arguments: { document: {}, foo: 1 }, ...failing };
    expect(await outcome({ operations: [odd] })).toMatch(/^failed: insertOne takes no foo: /);
    const event = { commandStartedEvent: { command: { $$fly: 1 } } };
    expect(await outcome({ operations: [ping], ...eventsAre(event, succeeded) })).toBe(
      'failed: there is no operator $$fly',
    );
    expect(await outcome({ operations: [{ ...ping, ...failing, expectResult: {} }] })).toBe(
      'failed: what runCommand is to answer contradicts itself',
    );
  });

  test('a case is skipped for a requirement, a feature, and its own reason', async () => {
    expect(await outcome({ operations: [], runOnRequirements: [{ maxServerVersion: '4.0' }] })).toBe(
      'skipped: it is for other deployments: version: 4.0 or earlier',
    );
    expect(await outcome({ operations: [], skipReason: 'as it says' })).toBe('skipped: its own skipReason: as it says');
    const needed: Feature = 'OpenTelemetry';
    expect(await outcome({ operations: [], expectTracingMessages: [] })).toBe(`skipped: ${needed}`);
  });

  test('a fail point is taken away after the test, and a thread fails the test that waits for it', async () => {
    const failPoint = {
      name: 'failPoint',
      object: 'testRunner',
      arguments: {
        client: 'client',
        failPoint: {
          configureFailPoint: 'failCommand',
          mode: 'alwaysOn',
          data: { failCommands: ['find'], errorCode: 1 },
        },
      },
    };
    const find = { name: 'find', object: 'films', arguments: { filter: {} } };
    const films = { databaseName: 'shop', collectionName: 'films', documents: [{ _id: 1 }] };
    const failing = {
      ...find,
      expectError: { errorCode: 1, isClientError: false, errorLabelsOmit: ['RetryableError'] },
    };
    expect(await outcome({ operations: [failPoint, failing], outcome: [films] })).toBe('passed');
    const threaded = [
      { name: 'createEntities', object: 'testRunner', arguments: { entities: [{ thread: { id: 'thread' } }] } },
      { name: 'runOnThread', object: 'testRunner', arguments: { thread: 'thread', operation: failing } },
      { name: 'waitForThread', object: 'testRunner', arguments: { thread: 'thread' } },
    ];
    expect(await outcome({ operations: [failPoint, ...threaded] })).toBe('passed');
    expect(await outcome({ operations: threaded })).toBe('failed: find did not fail');
  });

  test('what was expected of an error is what it says', async () => {
    const pong = { ...ping, arguments: { commandName: 'pong', command: { pong: 1 } } };
    const judged = (expectError: object): Promise<string> => outcome({ operations: [{ ...pong, expectError }] });
    const right = { errorCode: 59, errorCodeName: 'commandnotfound', errorContains: 'NO SUCH COMMAND' };
    expect(await judged({ ...right, isTimeoutError: false, errorResponse: { code: 59 } })).toBe('passed');
    expect(await judged({ errorCode: 60 })).toMatch(/^failed: expected the code 60, not 59: /);
    expect(await judged({ errorCodeName: 'BadValue' })).toMatch(/^failed: expected the code name BadValue/);
    expect(await judged({ errorContains: 'timeout' })).toMatch(/^failed: expected a message with 'timeout'/);
    expect(await judged({ isTimeoutError: true })).toMatch(/^failed: expected a timeout/);
    expect(await judged({ errorLabelsContain: ['A'] })).toMatch(/^failed: expected the label A/);
    expect(await judged({ errorResponse: { code: 1 } })).toBe('failed: errorResponse.code: expected 1, not 59');
    expect(await judged({ isFunny: true })).toMatch(/^failed: expectError takes no isFunny/);
  });

  test.each(['sharded', 'load-balanced'] as const)(
    'runs on a deployment that is %s, with its mongoses',
    async topology => {
      const many = createEmbedded({ version: '8.2.1', topology, auth: false }, createNode());
      const json = {
        schemaVersion: '1.13',
        createEntities: [
          { client: { id: 'client', useMultipleMongoses: true } },
          { database: { id: 'database', client: 'client', databaseName: 'shop' } },
          { collection: { id: 'films', database: 'database', collectionName: 'films' } },
        ],
        initialData: [{ databaseName: 'shop', collectionName: 'films', documents: [{ _id: 1 }] }],
        tests: [
          {
            description: 'a test',
            runOnRequirements: [{ topologies: [topology] }],
            operations: [{ name: 'find', object: 'films', arguments: { filter: {} }, expectResult: [{ _id: 1 }] }],
          },
        ],
      };
      const cases = casesOf('suite', [{ name: 'a.json', json }]);
      expect(merge(cases, [await runOnBench(many, cases)]).map(({ outcome }) => outcome)).toEqual(['passed']);
    },
  );

  test('a file of a newer version of the format is not run', async () => {
    const json = { schemaVersion: '1.30', tests: [{ description: 'a test', operations: [] }] };
    expect(await outcomesOf(json)).toEqual([
      `failed: on ${bench.name}: the file is written in version 1.30 of the format; versions 1.0 to 1.29 can be run`,
    ]);
  });

  test('a case that no combination runs fails, unless it needs one of the features', async () => {
    const whole = async (runOnRequirements: readonly object[]): Promise<readonly unknown[]> => {
      const tests = [{ description: 'a test', operations: [], runOnRequirements }];
      const cases = casesOf('suite', [{ name: 'a.json', json: { schemaVersion: '1.0', tests } }]);
      const results = judgeSkips(merge(cases, [await runOnBench(bench, cases)]));
      return results.map(({ outcome, reason }) => [outcome, reason]);
    };
    expect(await whole([{ minServerVersion: '9.0' }])).toEqual([
      ['failed', 'it is skipped, and not for a feature: it is for other deployments: version: 9.0 or later'],
    ]);
    expect(await whole([{ topologies: ['sharded'] }, { minServerVersion: '9.0' }])).toEqual([
      ['failed', 'it is skipped, and not for a feature: sharded'],
    ]);
    expect(await whole([{ csfle: true }])).toEqual([['skipped', 'encryption']]);
  });

  test('a case that is known to fail is skipped, and fails when it passes', async () => {
    const json = { schemaVersion: '1.0', tests: [{ description: 'a test', operations: [ping] }] };
    const known = [{ suite: 'suite', file: 'a.json', reason: 'a fault', proof: 'seen' }];
    const results = async (createEntities: readonly object[]): Promise<readonly unknown[]> => {
      const cases = casesOf('suite', [{ name: 'a.json', json: { ...json, createEntities } }]);
      const all = merge(cases, [await runOnBench(bench, cases)], known);
      return all.map(({ outcome, reason }) => [outcome, reason]);
    };
    const client = { client: { id: 'client' } };
    const database = { database: { id: 'database', client: 'client', databaseName: 'shop' } };
    expect(await results([client, database])).toEqual([
      ['failed', 'it passes: take it from the list of what is known'],
    ]);
    expect(await results([])).toEqual([['skipped', 'known: a fault']]);
  });

  test('of those that must fail it says which do not', async () => {
    const json = { schemaVersion: '1.0', tests: [{ description: 'right', operations: [] }] };
    expect(await outcomesOf(json, 'valid-fail/a.json')).toEqual([
      `failed: on ${bench.name}: it is wrong, and was not found to be`,
    ]);
  });
});

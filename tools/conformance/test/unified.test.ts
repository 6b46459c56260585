import { createNode } from '@tessera/node';
import { describe, expect, test } from 'vitest';
import type { Feature } from '../src/unified/features.js';
import { casesOf } from '../src/unified/cases.js';
import { createEmbedded } from '../src/unified/embedded.js';
import { merge } from '../src/unified/merge.js';
import { judgeSkips } from '../src/skips.js';
import { runOnBench } from '../src/unified/run.js';

const bench = createEmbedded({ version: '8.2.1', topology: 'replicaset', auth: false }, createNode());

/** Runs the tests of a file and returns the outcome and reason of each. */
const outcomesOf = async (json: object, name = 'a.json'): Promise<readonly string[]> => {
  const cases = casesOf('suite', [{ name, json }]);
  const results = merge(cases, [await runOnBench(bench, cases)]);
  return results.map(({ outcome, reason }) => [outcome, reason].filter(Boolean).join(': '));
};

interface Case {
  readonly operations: readonly object[];
  readonly [more: string]: unknown;
}

/** Runs one test with an observed client, a database and a collection. Returns its outcome and reason. */
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
  const [text = 'nothing'] = await outcomesOf(json);
  return text.replace(`on ${bench.name}: `, '');
};

const ping = { name: 'runCommand', object: 'database', arguments: { commandName: 'ping', command: { ping: 1 } } };
const started = { commandStartedEvent: { commandName: 'ping', command: { ping: 1, $db: 'shop' } } };
const succeeded = { commandSucceededEvent: { commandName: 'ping', reply: { ok: { $$type: ['int', 'double'] } } } };
const eventsAre = (...events: readonly object[]): object => ({ expectEvents: [{ client: 'client', events }] });

describe('the runner of unified tests', () => {
  test('compares events, their order and their number', async () => {
    expect(await outcome({ operations: [ping], ...eventsAre(started, succeeded) })).toBe('passed');
    expect(await outcome({ operations: [ping], ...eventsAre(succeeded, started) })).toBe(
      'failed: events of client.0: expected commandSucceededEvent, not commandStarted ping',
    );
    expect(await outcome({ operations: [ping], ...eventsAre(started) })).toBe(
      'failed: Expected 1 events of client, not 2: commandStarted ping, commandSucceeded ping',
    );
    const wrong = { commandStartedEvent: { command: { ping: 2 } } };
    expect(await outcome({ operations: [ping], ...eventsAre(wrong, succeeded) })).toBe(
      'failed: events of client.0.commandStartedEvent.command.ping: expected 2, not 1',
    );
  });

  test('compares results and errors', async () => {
    const find = { name: 'find', object: 'films', arguments: { filter: {} } };
    expect(await outcome({ operations: [{ ...find, expectResult: [{ _id: 1 }] }] })).toBe('passed');
    expect(await outcome({ operations: [{ ...find, expectResult: [{ _id: 2 }] }] })).toBe(
      'failed: find.0._id: expected 2, not 1',
    );
    expect(await outcome({ operations: [{ ...ping, expectError: { isError: true } }] })).toBe(
      'failed: Expected runCommand to fail.',
    );
    const unknown = { ...ping, arguments: { commandName: 'pong', command: { pong: 1 } } };
    expect(await outcome({ operations: [{ ...unknown, expectError: { isClientError: false } }] })).toBe('passed');
    expect(await outcome({ operations: [{ ...unknown, expectError: { isClientError: true } }] })).toMatch(
      /^failed: Expected a client error: /,
    );
    expect(await outcome({ operations: [unknown] })).toMatch(/^failed: no such command: 'pong'/);
  });

  test('compares log messages, and whether an error in them is redacted', async () => {
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

  test('fails a case that uses an unknown name, even if the case expects an error', async () => {
    const failing = { expectError: { isError: true } };
    expect(await outcome({ operations: [{ name: 'fly', object: 'films', ...failing }] })).toBe(
      'failed: A collection has no operation "fly".',
    );
    expect(await outcome({ operations: [{ name: 'find', object: 'plays', ...failing }] })).toBe(
      'failed: There is no entity "plays".',
    );
    const odd = { name: 'insertOne', object: 'films', arguments: { document: {}, foo: 1 }, ...failing };
    expect(await outcome({ operations: [odd] })).toMatch(/^failed: insertOne has no field "foo"; its fields are /);
    const event = { commandStartedEvent: { command: { $$fly: 1 } } };
    expect(await outcome({ operations: [ping], ...eventsAre(event, succeeded) })).toBe(
      'failed: Unknown operator: $$fly.',
    );
    expect(await outcome({ operations: [{ ...ping, ...failing, expectResult: {} }] })).toBe(
      'failed: The expectations of runCommand contradict each other.',
    );
  });

  test('skips a case because of a requirement, a feature or its skipReason', async () => {
    expect(await outcome({ operations: [], runOnRequirements: [{ maxServerVersion: '4.0' }] })).toBe(
      'skipped: requires another deployment: version: 4.0 or earlier',
    );
    expect(await outcome({ operations: [], skipReason: 'as it says' })).toBe('skipped: its own skipReason: as it says');
    const needed: Feature = 'OpenTelemetry';
    expect(await outcome({ operations: [], expectTracingMessages: [] })).toBe(`skipped: ${needed}`);
  });

  test('disables fail points after a test, and reports the error of a thread to the test that waits for it', async () => {
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
    expect(await outcome({ operations: threaded })).toBe('failed: Expected find to fail.');
  });

  test('compares each part of an expected error', async () => {
    const pong = { ...ping, arguments: { commandName: 'pong', command: { pong: 1 } } };
    const judged = (expectError: object): Promise<string> => outcome({ operations: [{ ...pong, expectError }] });
    const right = { errorCode: 59, errorCodeName: 'commandnotfound', errorContains: 'NO SUCH COMMAND' };
    expect(await judged({ ...right, isTimeoutError: false, errorResponse: { code: 59 } })).toBe('passed');
    expect(await judged({ errorCode: 60 })).toMatch(/^failed: Expected the code 60, not 59: /);
    expect(await judged({ errorCodeName: 'BadValue' })).toMatch(/^failed: Expected the code name BadValue/);
    expect(await judged({ errorContains: 'timeout' })).toMatch(/^failed: Expected a message that contains 'timeout'/);
    expect(await judged({ isTimeoutError: true })).toMatch(/^failed: Expected a timeout/);
    expect(await judged({ errorLabelsContain: ['A'] })).toMatch(/^failed: Expected the label A/);
    expect(await judged({ errorResponse: { code: 1 } })).toBe('failed: errorResponse.code: expected 1, not 59');
    expect(await judged({ isFunny: true })).toMatch(/^failed: expectError has no field "isFunny"/);
  });

  test.each(['sharded', 'load-balanced'] as const)('runs on a %s deployment with several mongoses', async topology => {
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
  });

  test('fails a file of an unsupported schema version', async () => {
    const json = { schemaVersion: '1.30', tests: [{ description: 'a test', operations: [] }] };
    expect(await outcomesOf(json)).toEqual([
      `failed: on ${bench.name}: Schema version 1.30 is not supported; the supported versions are 1.0 to 1.29.`,
    ]);
  });

  test('fails a case that no combination runs, unless the case needs a missing feature', async () => {
    const whole = async (runOnRequirements: readonly object[]): Promise<readonly unknown[]> => {
      const tests = [{ description: 'a test', operations: [], runOnRequirements }];
      const cases = casesOf('suite', [{ name: 'a.json', json: { schemaVersion: '1.0', tests } }]);
      const results = judgeSkips(merge(cases, [await runOnBench(bench, cases)]));
      return results.map(({ outcome, reason }) => [outcome, reason]);
    };
    expect(await whole([{ minServerVersion: '9.0' }])).toEqual([
      [
        'failed',
        'skipped for a reason that is not a missing feature: requires another deployment: version: 9.0 or later',
      ],
    ]);
    expect(await whole([{ topologies: ['sharded'] }, { minServerVersion: '9.0' }])).toEqual([
      ['failed', 'skipped for a reason that is not a missing feature: sharded'],
    ]);
    expect(await whole([{ csfle: true }])).toEqual([['skipped', 'encryption']]);
  });

  test('reports a known failure as skipped, and fails the case if it passes', async () => {
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
      ['failed', 'it passes: remove it from the list of known failures'],
    ]);
    expect(await results([])).toEqual([['skipped', 'known: a fault']]);
  });

  test('fails a valid-fail case that does not fail', async () => {
    const json = { schemaVersion: '1.0', tests: [{ description: 'right', operations: [] }] };
    expect(await outcomesOf(json, 'valid-fail/a.json')).toEqual([
      `failed: on ${bench.name}: a valid-fail case did not fail`,
    ]);
  });
});

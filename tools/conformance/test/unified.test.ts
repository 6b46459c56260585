import { createNode } from '@tessera/node';
import { describe, expect, test } from 'vitest';
import { match, root } from '../src/unified/match.js';
import { runUnified } from '../src/unified/run.js';

const { crypto } = createNode();

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
  const [result] = await runUnified({ name: 'a.json', json }, crypto);
  return result === undefined ? 'nothing' : [result.outcome, result.reason].filter(Boolean).join(': ');
};

const ping = { name: 'runCommand', object: 'database', arguments: { commandName: 'ping', command: { ping: 1 } } };
const started = { commandStartedEvent: { commandName: 'ping', command: { ping: 1, $db: 'shop' } } };
const succeeded = { commandSucceededEvent: { commandName: 'ping', reply: { ok: { $$type: ['int', 'double'] } } } };
const eventsAre = (...events: readonly object[]): object => ({ expectEvents: [{ client: 'client', events }] });

describe('the runner of unified tests', () => {
  test('events are what is expected, in their order and number', async () => {
    expect(await outcome({ operations: [ping], ...eventsAre(started, succeeded) })).toBe('passed');
    expect(await outcome({ operations: [ping], ...eventsAre(succeeded, started) })).toBe(
      'failed: events of client.0: expected commandSucceededEvent, not commandStarted',
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

  test('what it does not know is skipped, and says what', async () => {
    expect(await outcome({ operations: [{ name: 'fly', object: 'films' }] })).toBe(
      'skipped: the unified runner: the operation fly of films',
    );
    expect(await outcome({ operations: [], runOnRequirements: [{ maxServerVersion: '4.0' }] })).toMatch(
      /^skipped: the unified runner: it is for a server of 4.0 at most; here is one server of /,
    );
    expect(await outcome({ operations: [], skipReason: 'as it says' })).toBe('skipped: the unified runner: as it says');
    const odd = { commandStartedEvent: { command: { $$fly: 1 } } };
    expect(await outcome({ operations: [ping], ...eventsAre(odd, succeeded) })).toBe(
      'skipped: the unified runner: the operator $$fly',
    );
  });
});

describe('Unified Test Format, "Evaluating Matches"', () => {
  const matches = (expected: unknown, actual: unknown): boolean => {
    try {
      match(expected, actual, root('it'));
      return true;
    } catch {
      return false;
    }
  };

  test('only documents at the root may have more than is expected', () => {
    expect(matches({ a: 1 }, { a: 1, b: 2 })).toBe(true);
    expect(matches({ a: { b: 1 } }, { a: { b: 1, c: 2 } })).toBe(false);
    expect(matches({ a: { $$matchAsRoot: { b: 1 } } }, { a: { b: 1, c: 2 } })).toBe(true);
    expect(matches([{ a: 1 }], [{ a: 1, b: 2 }])).toBe(true);
    expect(matches([{ a: 1 }], [{ a: 1 }, { a: 2 }])).toBe(false);
  });

  test('operators', () => {
    expect(matches({ a: { $$exists: true } }, { a: null })).toBe(true);
    expect(matches({ a: { $$exists: true } }, {})).toBe(false);
    expect(matches({ a: { $$exists: false } }, { a: 1 })).toBe(false);
    expect(matches({ a: { $$unsetOrMatches: 1 } }, {})).toBe(true);
    expect(matches({ a: { $$unsetOrMatches: 1 } }, { a: 2 })).toBe(false);
    expect(matches({ a: { $$type: 'string' } }, { a: 1 })).toBe(false);
    expect(matches({ a: { $$type: ['string', 'long'] } }, { a: 1n })).toBe(true);
    expect(matches({ a: { $$matchAsDocument: { b: 1 } } }, { a: '{"b":1}' })).toBe(true);
    expect(matches({ a: { $$matchAsDocument: { b: 1 } } }, { a: '{"b":1,"c":2}' })).toBe(false);
    expect(matches({ a: { $$lte: 2 } }, { a: 3 })).toBe(false);
  });

  test('numbers are compared by their values, and everything else by value and type', () => {
    expect(matches({ a: 1 }, { a: 1n })).toBe(true);
    expect(matches({ a: 1 }, { a: '1' })).toBe(false);
    expect(matches({ a: null }, {})).toBe(false);
    expect(matches({ a: 1 }, {})).toBe(false);
  });
});

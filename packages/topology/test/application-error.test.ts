import { MongoError } from '@tessera/contracts';
import type { Document, ErrorKind, MongoErrorOptions, Phase } from '@tessera/contracts';
import { Long, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { connectionFailed, isShutdown, isStateChange, operationFailed } from '../src/description/application-error.js';
import { a, member } from './described.js';

const of = (kind: ErrorKind, phase: Phase, more: MongoErrorOptions = {}): MongoError =>
  new MongoError(kind, 'something failed', {
    ...more,
    origin: { phase, sent: true, address: a, generation: 3, ...more.origin },
  });

const kinds: readonly ErrorKind[] = [
  ...(['network', 'timeout', 'server', 'protocol', 'auth'] as const),
  ...(['pool', 'selection', 'usage', 'closed', 'aborted'] as const),
];
const phases: readonly Phase[] = [
  ...(['select', 'checkOut', 'resolve', 'proxy', 'connect', 'tls', 'hello', 'auth', 'command'] as const),
];
const clearing = (cause: MongoError) => ({
  topologyVersion: undefined,
  effects: [
    { type: 'clearPool', address: a, cause, serviceId: undefined, interruptInUse: false },
    { type: 'cancelCheck', address: a },
  ],
});

describe('"Error handling pseudocode": errors that mark a server Unknown', () => {
  const primary = member(a, 'RSPrimary');

  test('after the handshake: a network error, but no timeout and no other error', () => {
    expect(kinds.filter(kind => operationFailed(primary, of(kind, 'command'), 3) !== undefined)).toEqual(['network']);
  });

  test('during the handshake: errors of the network, the server or the credentials', () => {
    for (const phase of ['resolve', 'proxy', 'connect', 'tls', 'hello', 'auth'] as const)
      expect(kinds.filter(kind => operationFailed(primary, of(kind, phase), 3) !== undefined)).toEqual([
        ...['network', 'timeout', 'server', 'protocol', 'auth'],
      ]);
  });

  test('before the connection is open: none', () => {
    for (const phase of ['select', 'checkOut'] as const)
      expect(kinds.filter(kind => operationFailed(primary, of(kind, phase), 3) !== undefined)).toEqual([]);
    expect(operationFailed(primary, new MongoError('network', 'without a place'), 3)).toBe(undefined);
  });

  test('clears the pool and cancels the check', () => {
    for (const error of [of('network', 'command'), of('auth', 'auth')])
      expect(operationFailed(primary, error, 3)).toEqual(clearing(error));
  });

  test('CMAP "Backpressure-enabled": ignores a handshake error that may mean an overloaded server', () => {
    expect(operationFailed(primary, of('network', 'connect', { labels: ['SystemOverloadedError'] }), 3)).toBe(
      undefined,
    );
    expect(operationFailed(primary, of('network', 'connect', { labels: ['RetryableError'] }), 3)).toBeDefined();
  });

  test('ignores an error of an older generation; handles one of the current generation or of none', () => {
    const error = of('network', 'command');
    expect(operationFailed(primary, error, 4)).toBe(undefined);
    expect(operationFailed(primary, error, 3)).toEqual(clearing(error));
    expect(operationFailed(primary, error, 2)).toEqual(clearing(error));
    const unknown = new MongoError('network', 'reset', { origin: { phase: 'connect', sent: false, address: a } });
    expect(operationFailed(primary, unknown, 4)).toEqual(clearing(unknown));
  });
});

describe("\"'not writable primary' and 'node is recovering'\"", () => {
  const processId = ObjectId.createFromTime(1);
  const told = (counter: number): Document => ({ topologyVersion: { processId, counter: Long.fromNumber(counter) } });
  const primary = member(a, 'RSPrimary', { topologyVersion: { processId, counter: 5n } });
  const checkNow = { type: 'checkNow', address: a, rest: 'minimum' };

  test('requests a check and keeps the pool', () => {
    const error = of('server', 'command', { code: 10107, reply: told(6) });
    expect(operationFailed(primary, error, 3)).toEqual({
      topologyVersion: { processId, counter: 6n },
      effects: [checkNow],
    });
  });

  test('"node is shutting down": clears the pool first', () => {
    const error = of('server', 'command', { code: 91, reply: told(6) });
    expect(operationFailed(primary, error, 3)).toEqual({
      topologyVersion: { processId, counter: 6n },
      effects: [{ type: 'clearPool', address: a, cause: error, serviceId: undefined, interruptInUse: false }, checkNow],
    });
  });

  test('ignores an error with an older topologyVersion than the known one; after an error without one, a check that waits for a change starts again', () => {
    const at = (reply: Document | undefined) =>
      operationFailed(primary, of('server', 'command', { code: 189, reply }), 3);
    expect([at(told(4)), at(told(5))]).toEqual([undefined, undefined]);
    expect(at(told(6))).toBeDefined();
    expect(at(undefined)).toEqual({ topologyVersion: undefined, effects: [{ type: 'recheck', address: a }] });
  });

  test('recognizes the codes of state changes, and the codes of shutdowns among them', () => {
    const codes = [10107, 13435, 10058, 11602, 13436, 189, 11600, 91, 1, 11601];
    const at = (code: number) => new MongoError('server', 'no', { code });
    expect(codes.filter(code => isStateChange(at(code)))).toEqual(codes.slice(0, 8));
    expect(codes.filter(code => isShutdown(at(code)))).toEqual([11600, 91]);
  });

  test('compares the message only if there is no code', () => {
    const judged = (message: string, code?: number) => isStateChange(new MongoError('server', message, { code }));
    expect(judged('not master')).toBe(true);
    expect(judged('the node is recovering now', 0)).toBe(true);
    expect(judged('not master or secondary', 1)).toBe(false);
    expect(judged('no')).toBe(false);
    expect(isShutdown(new MongoError('server', 'node is shutting down'))).toBe(false);
  });

  test('ignores errors that did not come from a server', () => {
    expect(isStateChange(new MongoError('network', 'not master', { code: 10107 }))).toBe(false);
    expect(isShutdown(new MongoError('network', 'no', { code: 91 }))).toBe(false);
  });
});

describe('Load Balancers, "Error Handling"', () => {
  const serviceId = ObjectId.createFromTime(1);
  const behind = (kind: ErrorKind, phase: Phase, more: MongoErrorOptions = {}) =>
    of(kind, phase, { ...more, origin: { phase, sent: true, address: a, serviceId } });
  const cleared = (cause: MongoError) => [{ type: 'clearPool', address: a, cause, serviceId, interruptInUse: false }];

  test('clears the pool of one service on the errors that would otherwise mark a server Unknown', () => {
    for (const error of [behind('network', 'command'), behind('auth', 'auth'), behind('timeout', 'hello')])
      expect(connectionFailed(a, error)).toEqual(cleared(error));
    for (const error of [behind('timeout', 'command'), behind('network', 'checkOut'), behind('usage', 'auth')])
      expect(connectionFailed(a, error)).toEqual([]);
  });

  test('clears it on a shutdown, but on no other state change', () => {
    const shutdown = behind('server', 'command', { code: 91 });
    expect(connectionFailed(a, shutdown)).toEqual(cleared(shutdown));
    expect(connectionFailed(a, behind('server', 'command', { code: 10107 }))).toEqual([]);
  });

  test('clears nothing before hello has named the service', () => {
    expect(connectionFailed(a, of('network', 'connect'))).toEqual([]);
    expect(connectionFailed(a, new MongoError('network', 'without a place'))).toEqual([]);
  });
});

test('handles errors of every phase', () => {
  const judged = phases.filter(phase => operationFailed(member(a, 'RSPrimary'), of('network', phase), 3) !== undefined);
  expect(judged).toEqual(['resolve', 'proxy', 'connect', 'tls', 'hello', 'auth', 'command']);
});

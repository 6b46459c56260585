// Each object breaks one rule of OpenLog, and the suite must detect it.
import type { EventSink, LogMessage, LogWritable, OpenLog } from '@tessera/contracts';
import { createLog } from '@tessera/log';
import { logSuite } from '@tessera/sim';
import type { ContractCase } from '@tessera/sim';
import { describe, test } from 'vitest';
import { expectNotice } from './notice.js';

const withSink = (change: (sink: EventSink) => Partial<EventSink>): readonly ContractCase[] =>
  logSuite((deps, options) => {
    const sink = createLog(deps, options);
    return sink && { ...sink, ...change(sink) };
  });

const withDeps = (change: (deps: Parameters<OpenLog>[0]) => Partial<Parameters<OpenLog>[0]>): readonly ContractCase[] =>
  logSuite((deps, options) => createLog({ ...deps, ...change(deps) }, options));

const withOptions = (change: (options: Parameters<OpenLog>[1]) => Parameters<OpenLog>[1]): readonly ContractCase[] =>
  logSuite((deps, options) => createLog(deps, { ...options, ...change(options) }));

/** Replaces the writable that the options name. */
const withWritable = (change: (to: LogWritable) => LogWritable): readonly ContractCase[] =>
  withOptions(({ mongodbLogPath: to }) => (typeof to === 'object' ? { mongodbLogPath: change(to) } : {}));

const changing = (change: (log: LogMessage) => object): readonly ContractCase[] =>
  withWritable(to => ({ write: log => to.write({ ...log, ...change(log) }) }));

describe('logSuite detects a log that', () => {
  test('listens although nothing is logged', () =>
    expectNotice(
      logSuite((...given) => createLog(...given) ?? { wants: () => false, emit: () => undefined }),
      'returns undefined if nothing is logged',
    ));

  test('wants every event', () =>
    expectNotice(
      withSink(() => ({ wants: () => true })),
      'severe enough',
    ));

  test('reads one severity for all components', () =>
    expectNotice(
      withOptions(({ mongodbLogComponentSeverities: given }) =>
        given?.command === undefined ? {} : { mongodbLogComponentSeverities: { default: given.command } },
      ),
      'severe enough',
    ));

  test('ignores the environment', () =>
    expectNotice(
      withDeps(({ host }) => ({ host: { ...host, environment: () => undefined } })),
      'options take precedence over the environment',
    ));

  test('ignores the options', () =>
    expectNotice(
      logSuite((deps, { mongodbLogPath }) => createLog(deps, { ...(mongodbLogPath && { mongodbLogPath }) })),
      'options take precedence over the environment',
    ));

  test('reads the time of its own clock', () =>
    expectNotice(
      withDeps(({ clock }) => ({ clock: { ...clock, wallTime: () => 0 } })),
      'a message has time',
    ));

  test('has fields without a value', () =>
    expectNotice(
      changing(() => ({ serviceId: undefined })),
      'the fields of its event',
    ));

  test('writes documents without a conversion', () =>
    expectNotice(
      changing(({ command }) => (typeof command === 'string' ? { command: { text: command } } : {})),
      'the fields of its event',
    ));

  test('does not truncate documents', () =>
    expectNotice(
      withOptions(() => ({ mongodbLogMaxDocumentLength: 0 })),
      'a document is truncated',
    ));

  test('accepts every option', () =>
    expectNotice(
      logSuite((deps, options) => {
        try {
          return createLog(deps, options);
        } catch {
          return undefined;
        }
      }),
      'fail as usage',
    ));

  test('writes to one place only', () =>
    expectNotice(
      withDeps(({ host }) => ({ host: { ...host, ...(host.openLog && { openLog: () => host.openLog!('stderr') }) } })),
      'lines go to stderr or to the path',
    ));

  test('does not wait for a promise', () =>
    expectNotice(
      withWritable(to => ({
        write: log => {
          const written = to.write(log);
          if (written instanceof Promise) written.catch(() => undefined);
        },
      })),
      'waits for a promise',
    ));

  test('writes again after a failure', () =>
    expectNotice(
      withWritable(to => ({
        write: async log => {
          try {
            await to.write(log);
          } catch {
            // Accepts the next message after a failure.
          }
        },
      })),
      'gets no more messages',
    ));

  test('throws what the writable throws', () =>
    expectNotice(
      logSuite((deps, options) => {
        const { mongodbLogPath: to } = options;
        if (typeof to !== 'object') return createLog(deps, options);
        let failure: unknown;
        const write = (log: LogMessage): unknown => {
          try {
            return to.write(log);
          } catch (error) {
            failure = error;
            throw error;
          }
        };
        const sink = createLog(deps, { ...options, mongodbLogPath: { write } });
        const emit: EventSink['emit'] = event => {
          sink?.emit(event);
          if (failure !== undefined) throw failure as Error;
        };
        return sink && { ...sink, emit };
      }),
      'the sink does not throw',
    ));
});

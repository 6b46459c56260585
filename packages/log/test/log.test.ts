import type { DriverEvent, EventName, LogMessage } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { listen, open } from './world.js';

const ready: DriverEvent = { name: 'connectionPoolReady', address: 'db1:27017' };
const created: DriverEvent = { name: 'connectionPoolClosed', address: 'db1:27017' };
const connections = { connection: 'debug' } as const;

describe('Logging, "Performance Considerations"', () => {
  test('creates no event sink if nothing is logged', () => {
    expect(open({})).toBe(undefined);
    expect(open({ mongodbLogPath: 'stdout', mongodbLogComponentSeverities: { command: 'info' } })).toBe(undefined);
    expect(open({ mongodbLogComponentSeverities: { default: 'off' } })).toBe(undefined);
  });

  test('requests only events that are logged', () => {
    const names: readonly EventName[] = ['commandStarted', 'serverSelectionStarted', 'waitingForSuitableServer'];
    const wanted = (severities: object): readonly EventName[] => {
      const { sink } = listen({ mongodbLogComponentSeverities: severities });
      return names.filter(name => sink.wants(name));
    };
    expect(wanted({ serverSelection: 'info' })).toEqual(['waitingForSuitableServer']);
    expect(wanted({ serverSelection: 'debug' })).toEqual(['serverSelectionStarted', 'waitingForSuitableServer']);
    expect(wanted({ command: 'trace', serverSelection: 'notice' })).toEqual(['commandStarted']);
  });
});

describe('Logging, "Configurable Log Destination"', () => {
  const at = '2023-11-14T22:13:20.000Z';
  const openLog = (lines: string[]) => (path: string) => {
    if (path === '/no/such/file') throw new Error('ENOENT');
    return (line: string) => lines.push(`${path}: ${line}`);
  };

  test('writes lines to a path from the environment or the options', () => {
    const lines: string[] = [];
    const environment = (name: string): string | undefined =>
      ({ MONGODB_LOG_CONNECTION: 'debug', MONGODB_LOG_PATH: 'stdout' })[name];
    const warnings: string[] = [];
    const warn = (sentence: string): void => void warnings.push(sentence);
    open({}, { environment, openLog: openLog(lines), warn })?.emit(ready);
    open({ mongodbLogPath: '/a.log' }, { environment, openLog: openLog(lines), warn })?.emit(ready);
    expect(warnings).toEqual([]);
    expect(lines).toEqual([
      `stdout: ${at} debug connection Connection pool ready for db1:27017`,
      `/a.log: ${at} debug connection Connection pool ready for db1:27017`,
    ]);
  });

  test('warns and writes to stderr if a path cannot be written', () => {
    const [lines, warnings]: [string[], string[]] = [[], []];
    const warn = (sentence: string): void => void warnings.push(sentence);
    const options = { mongodbLogPath: '/no/such/file', mongodbLogComponentSeverities: connections };
    open(options, { openLog: openLog(lines), warn })?.emit(ready);
    expect(lines).toEqual([`stderr: ${at} debug connection Connection pool ready for db1:27017`]);
    expect(warnings).toEqual(["The log is written to stderr, because '/no/such/file' cannot be written: ENOENT"]);
    open(options, { openLog: openLog(lines) })?.emit(ready);
    expect(lines).toHaveLength(2);
  });

  test('warns and logs nothing if the host cannot write lines', () => {
    const warnings: string[] = [];
    const warn = (sentence: string): void => void warnings.push(sentence);
    expect(open({ mongodbLogComponentSeverities: connections }, { warn })).toBe(undefined);
    expect(warnings).toEqual([
      'Nothing is logged, because this host cannot write lines. Pass { write } as "mongodbLogPath".',
    ]);
  });

  test('warns about invalid environment variables without throwing', () => {
    const warnings: string[] = [];
    const environment = (name: string): string | undefined => ({ MONGODB_LOG_COMMAND: 'loud' })[name];
    expect(open({}, { environment, warn: sentence => void warnings.push(sentence) })).toBe(undefined);
    expect(warnings).toEqual([expect.stringContaining("MONGODB_LOG_COMMAND is ignored: 'loud' is not one of")]);
  });

  test('ignores events that are not logged, and unknown events', () => {
    const { sink, logs } = listen({ mongodbLogComponentSeverities: { connection: 'debug' } });
    sink.emit({ name: 'serverOpening', topologyId: 1, address: 'db1:27017' });
    sink.emit({ name: 'unheardOf' } as never);
    sink.emit(ready);
    expect(logs.map(({ message }) => message)).toEqual(['Connection pool ready']);
  });

  test('awaits a promise returned by write, and keeps the order of messages', async () => {
    const taken: string[] = [];
    const done: (() => void)[] = [];
    const write = ({ message }: LogMessage): Promise<void> => {
      taken.push(message);
      return new Promise(resolve => done.push(resolve));
    };
    const log = open({ mongodbLogPath: { write }, mongodbLogComponentSeverities: connections });
    log?.emit(ready);
    log?.emit(created);
    expect(taken).toEqual(['Connection pool ready']);
    done[0]?.();
    await Promise.resolve();
    expect(taken).toEqual(['Connection pool ready', 'Connection pool closed']);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('full'))],
  ])('sends no more messages to a writer that %s, warns once, and throws nothing', async (_, write) => {
    const warnings: string[] = [];
    const warn = (sentence: string): void => void warnings.push(sentence);
    let asked = 0;
    const log = open(
      { mongodbLogPath: { write: () => (asked++, write()) }, mongodbLogComponentSeverities: connections },
      { warn },
    );
    log?.emit(ready);
    log?.emit(created);
    await Promise.resolve();
    expect(log?.wants('connectionPoolReady')).toBe(false);
    log?.emit(ready);
    expect([asked, warnings]).toEqual([1, ['Logging has stopped, because the log cannot be written: full']]);
  });
});

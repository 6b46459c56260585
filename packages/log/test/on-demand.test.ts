import { createLogOnDemand } from '@tessera/log';
import type { DriverEvent, EventSink, Host, LogMessage, LogOptions } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { hostWith, standing } from './world.js';

const ready: DriverEvent = { name: 'connectionPoolReady', address: 'db1:27017' };
const closed: DriverEvent = { name: 'connectionPoolClosed', address: 'db1:27017' };

interface Opened {
  readonly sink: EventSink | undefined;
  readonly logs: LogMessage[];
  /** Resolves when the code of the log is loaded. */
  readonly loaded: () => Promise<unknown>;
  readonly moveTo: (time: number) => void;
}

const open = (options: LogOptions, more: Partial<Host> = {}): Opened => {
  const logs: LogMessage[] = [];
  const modules: Promise<unknown>[] = [];
  let time = 1000;
  const loaded = <T>(module: Promise<T>): Promise<T> => {
    modules.push(module);
    return module;
  };
  const sink = createLogOnDemand(
    { clock: { ...standing, wallTime: () => time }, host: hostWith({ loaded, ...more }) },
    { mongodbLogPath: { write: log => logs.push(log) }, ...options },
  );
  return { sink, logs, loaded: () => Promise.allSettled(modules), moveTo: to => void (time = to) };
};

test('writes events that came before its code was loaded, with their times and in order, then all others', async () => {
  const { sink, logs, loaded, moveTo } = open({ mongodbLogComponentSeverities: { connection: 'debug' } });
  expect([sink?.wants('connectionPoolReady'), sink?.wants('commandStarted')]).toEqual([true, true]);
  sink?.emit(ready);
  sink?.emit({ name: 'topologyOpening', topologyId: 1 } as unknown as DriverEvent);
  moveTo(2000);
  sink?.emit(closed);
  moveTo(3000);
  await loaded();
  expect([sink?.wants('connectionPoolReady'), sink?.wants('commandStarted')]).toEqual([true, false]);
  sink?.emit(ready);
  expect(logs.map(({ t, message }) => [t.getTime(), message])).toEqual([
    [1000, 'Connection pool ready'],
    [2000, 'Connection pool closed'],
    [3000, 'Connection pool ready'],
  ]);
});

test('an event that writing a waiting event causes is written after the waiting ones, with its own time', async () => {
  const seen: [time: number, message: string][] = [];
  const write = ({ t, message }: LogMessage): void => {
    if (seen.length === 0) {
      moveTo(9000);
      sink?.emit(closed);
    }
    seen.push([t.getTime(), message]);
  };
  const opened = open({ mongodbLogComponentSeverities: { connection: 'debug' }, mongodbLogPath: { write } });
  const { sink, loaded, moveTo } = opened;
  sink?.emit(ready);
  sink?.emit(ready);
  await loaded();
  expect(seen).toEqual([
    [1000, 'Connection pool ready'],
    [1000, 'Connection pool ready'],
    [9000, 'Connection pool closed'],
  ]);
});

test('loads no code if every component is off, and rejects invalid options at once', async () => {
  const none = open({});
  expect(none.sink).toBeUndefined();
  expect(await none.loaded()).toEqual([]);
  expect(() => open({ mongodbLogMaxDocumentLength: -1 })).toThrow(
    '"mongodbLogMaxDocumentLength" must be a whole number from 0 (no limit), not -1.',
  );
});

test('requests no events after its code was loaded if the severities exclude all of them', async () => {
  const { sink, logs, loaded } = open({ mongodbLogComponentSeverities: { connection: 'error' } });
  sink?.emit(ready);
  await loaded();
  sink?.emit(ready);
  expect([sink?.wants('connectionPoolReady'), logs]).toEqual([false, []]);
});

test('warns of each invalid variable, and if its code cannot be loaded', async () => {
  const warnings: string[] = [];
  const environment = (name: string): string | undefined => (name === 'MONGODB_LOG_ALL' ? 'loud' : undefined);
  const { sink, loaded } = open(
    { mongodbLogComponentSeverities: { connection: 'debug' } },
    {
      environment,
      warn: sentence => void warnings.push(sentence),
      loaded: async () => Promise.reject(new Error('too many open files')),
    },
  );
  await loaded();
  await Promise.resolve();
  await Promise.resolve();
  expect([sink?.wants('connectionPoolReady'), warnings]).toEqual([
    false,
    [
      expect.stringMatching(/^MONGODB_LOG_ALL is ignored: 'loud' is not one of off, emergency/) as unknown,
      'The log cannot be loaded: Error: too many open files',
    ],
  ]);
});

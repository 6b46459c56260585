import type {
  Clock,
  DriverEvent,
  EventName,
  EventSink,
  Host,
  LogMessage,
  LogOptions,
  OpenLog,
} from '@tessera/contracts';
import { expectEqual, expectThrow, expectTrue } from './case.js';
import type { ContractCase } from './case.js';
import { createAgenda } from './agenda.js';
import { createClock } from './clock.js';

const wallTime = 1_700_000_000_000;
const clock: Clock = createClock(createAgenda(), { wallTime: () => wallTime, label: () => '' });

const command = { find: 'users', filter: { name: 'x'.repeat(50) } };
const started: DriverEvent = {
  name: 'commandStarted',
  ...{ address: 'db1:27017', connectionId: 3, serverConnectionId: 77n, requestId: 8, operationId: 5 },
  ...{ databaseName: 'shop', commandName: 'find', command },
};
const created: DriverEvent = { name: 'connectionCreated', address: 'db1:27017', connectionId: 3 };
const closed: DriverEvent = { ...created, name: 'connectionClosed', reason: 'idle' };

const all: LogOptions = { mongodbLogComponentSeverities: { default: 'trace' } };

/**
 * Returns the cases of {@link OpenLog}. Rule: Logging; Command Logging and Monitoring; Connection Monitoring and
 * Pooling.
 */
export const logSuite = (openLog: OpenLog): readonly ContractCase[] => {
  const one = (name: string, run: () => void | Promise<void>): ContractCase => ({
    name,
    run: async () => {
      await run();
    },
  });
  const open = (options: LogOptions, host: Partial<Host> = {}): EventSink | undefined =>
    openLog({ clock, host: { environment: () => undefined, ...host } }, options);
  /** Returns whether the sink wants events of a command, a connection and a wait in server selection. */
  const wantedBy = (
    severities: LogOptions['mongodbLogComponentSeverities'],
    variables: Readonly<Record<string, string>> = {},
  ): readonly boolean[] => {
    const names: readonly EventName[] = ['commandStarted', 'connectionCreated', 'waitingForSuitableServer'];
    const options = { mongodbLogPath: { write: () => undefined }, mongodbLogComponentSeverities: severities };
    const sink = open(options, { environment: name => variables[name] });
    return names.map(name => sink?.wants(name) ?? false);
  };
  /** Emits the events that the sink wants, as the driver does. */
  const emit = (sink: EventSink | undefined, ...events: readonly DriverEvent[]): void => {
    for (const event of events) if (sink?.wants(event.name) === true) sink.emit(event);
  };
  const logged = (options: LogOptions, ...events: readonly DriverEvent[]): readonly LogMessage[] => {
    const messages: LogMessage[] = [];
    emit(open({ ...all, ...options, mongodbLogPath: { write: log => void messages.push(log) } }), ...events);
    return messages;
  };

  return [
    one('OpenLog: returns undefined if nothing is logged', () => {
      const write = (): void => undefined;
      for (const mongodbLogComponentSeverities of [undefined, { default: 'off' }, { command: 'info' }] as const) {
        const sink = open({ mongodbLogPath: { write }, mongodbLogComponentSeverities });
        expectEqual(sink, undefined, JSON.stringify(mongodbLogComponentSeverities));
      }
    }),
    one('Logging "Log Severity Levels": a component logs only messages that are severe enough', () => {
      expectEqual(wantedBy({ default: 'trace' }), [true, true, true], 'default: trace');
      expectEqual(wantedBy({ default: 'info' }), [false, false, true], 'default: info');
      expectEqual(wantedBy({ command: 'debug' }), [true, false, false], 'command: debug');
      expectEqual(wantedBy({ command: 'off', default: 'debug' }), [false, true, true], 'command: off, default: debug');
    }),
    one(
      'Logging "Supporting Both Programmatic and Environment Variable Configuration": options take precedence over the environment, and an invalid variable is ignored',
      () => {
        expectEqual(wantedBy(undefined, { MONGODB_LOG_COMMAND: 'debug' }), [true, false, false], 'a component');
        const variables = { MONGODB_LOG_ALL: 'debug', MONGODB_LOG_CONNECTION: 'off' };
        expectEqual(wantedBy(undefined, variables), [true, false, true], 'all, and a component');
        expectEqual(wantedBy({ command: 'off' }, variables), [false, false, true], 'the option of a component');
        expectEqual(
          wantedBy(undefined, { MONGODB_LOG_ALL: 'loud' }),
          [false, false, false],
          'a variable without meaning',
        );
      },
    ),
    one(
      'Logging "Structured versus Unstructured Logging": a message has time, component, severity and the fields of its event',
      () => {
        const head = {
          t: new Date(wallTime),
          s: 'debug',
          serverHost: 'db1',
          serverPort: 27_017,
          driverConnectionId: 3,
        };
        const [first, second, ...others] = logged({}, started, created);
        const expected = {
          ...{ ...head, c: 'command', message: 'Command started', commandName: 'find', databaseName: 'shop' },
          ...{ requestId: 8, operationId: 5, serverConnectionId: 77, command: JSON.stringify(command) },
        };
        expectEqual(first, expected, 'the message of a command');
        expectEqual(second, { ...head, c: 'connection', message: 'Connection created' }, 'the message of a connection');
        expectEqual(others, [], 'other messages');
      },
    ),
    one(
      'Logging "Configurable Max Document Length": a document is truncated after this many code units, by default 1000',
      () => {
        const commandOf = (options: LogOptions, text: string): unknown =>
          logged(options, { ...started, command: { text } })[0]?.['command'];
        const text = 'x'.repeat(2000);
        const whole = JSON.stringify({ text });
        expectEqual(commandOf({}, text), `${whole.slice(0, 1000)}...`, 'by default');
        expectEqual(commandOf({ mongodbLogMaxDocumentLength: 20 }, text), `${whole.slice(0, 20)}...`, 'after 20');
        expectEqual(commandOf({ mongodbLogMaxDocumentLength: 0 }, text), whole, '0 is no limit');
      },
    ),
    one('OpenLog: invalid options fail as usage', () => {
      const wrong = { mongodbLogComponentSeverities: { command: 'loud' } } as unknown as LogOptions;
      expectThrow(() => open(wrong), { kind: 'usage' }, 'a severity that does not exist');
      expectThrow(() => open({ ...all, mongodbLogMaxDocumentLength: -1 }), { kind: 'usage' }, 'a length below 0');
    }),
    one('Logging "Configurable Log Destination": lines go to stderr or to the path, one line for each message', () => {
      const linesOf = (options: LogOptions, variables: Readonly<Record<string, string>> = {}): readonly string[] => {
        const lines: string[] = [];
        const openLines = (path: string) => {
          if (path === '/no/such/file') throw new Error('ENOENT');
          return (line: string): void => void lines.push(`${path}${line.includes('\n') ? ' and more' : ''}`);
        };
        const host = { environment: (name: string) => variables[name], openLog: openLines, warn: () => undefined };
        emit(open({ ...all, ...options }, host), started, created);
        return lines;
      };
      expectEqual(linesOf({}), ['stderr', 'stderr'], 'by default');
      expectEqual(linesOf({}, { MONGODB_LOG_PATH: 'stdout' }), ['stdout', 'stdout'], 'by the environment');
      expectEqual(linesOf({ mongodbLogPath: '/a.log' }), ['/a.log', '/a.log'], 'by the options');
      expectEqual(
        linesOf({ mongodbLogPath: '/no/such/file' }),
        ['stderr', 'stderr'],
        'a path that cannot be written to',
      );
    }),
    one('LogWritable.write: the next message waits for a promise', async () => {
      const taken: unknown[] = [];
      const done: (() => void)[] = [];
      const write = ({ message }: LogMessage): Promise<void> => {
        taken.push(message);
        return new Promise(resolve => done.push(resolve));
      };
      emit(open({ ...all, mongodbLogPath: { write } }), created, closed, created);
      const messages = ['Connection created', 'Connection closed', 'Connection created'];
      for (const at of messages.keys()) {
        expectEqual(taken, messages.slice(0, at + 1), `before promise ${at + 1} resolves`);
        done[at]?.();
        for (let hop = 0; hop < 10; hop += 1) await Promise.resolve();
      }
    }),
    one(
      'LogWritable.write: a writable that throws or rejects gets no more messages, and the sink does not throw',
      async () => {
        const failed = new Error('full');
        const throwing = (): never => {
          throw failed;
        };
        for (const write of [throwing, () => Promise.reject(failed)]) {
          let calls = 0;
          const sink = open(
            { ...all, mongodbLogPath: { write: () => ((calls += 1), write()) } },
            { warn: () => undefined },
          );
          emit(sink, created);
          for (let hop = 0; hop < 10; hop += 1) await Promise.resolve();
          emit(sink, closed);
          expectEqual(calls, 1, 'calls of write');
          expectTrue(sink?.wants('connectionCreated') === false, 'no event is wanted any more');
        }
      },
    ),
  ];
};

/** A log of commands, connections and server selection, from a table of events. */
import type {
  Document,
  DriverEvent,
  EventName,
  LogComponent,
  LogMessage,
  LogOptions,
  LogSeverity,
  LogWritable,
  OpenLog,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

interface Entry {
  readonly c: LogComponent;
  readonly s: LogSeverity;
  readonly message: string;
}

const debug = 'debug';
const entries: Partial<Record<EventName, Entry>> = {
  commandStarted: { c: 'command', s: debug, message: 'Command started' },
  commandSucceeded: { c: 'command', s: debug, message: 'Command succeeded' },
  commandFailed: { c: 'command', s: debug, message: 'Command failed' },
  connectionCreated: { c: 'connection', s: debug, message: 'Connection created' },
  connectionClosed: { c: 'connection', s: debug, message: 'Connection closed' },
  waitingForSuitableServer: {
    c: 'serverSelection',
    s: 'info',
    message: 'Waiting for suitable server to become available',
  },
};
const severities: readonly string[] = [
  ...['off', 'emergency', 'alert', 'critical', 'error', 'warn', 'notice', 'info', 'debug', 'trace'],
];
const variables: Readonly<Record<LogComponent, string>> = {
  command: 'MONGODB_LOG_COMMAND',
  topology: 'MONGODB_LOG_TOPOLOGY',
  serverSelection: 'MONGODB_LOG_SERVER_SELECTION',
  connection: 'MONGODB_LOG_CONNECTION',
};

const check = ({ mongodbLogComponentSeverities, mongodbLogMaxDocumentLength: most = 0 }: LogOptions): void => {
  for (const severity of Object.values(mongodbLogComponentSeverities ?? {}))
    if (severity !== undefined && !severities.includes(severity))
      throw new MongoError('usage', `Unknown log severity: '${severity}'.`);
  if (!Number.isInteger(most) || most < 0)
    throw new MongoError(
      'usage',
      `The option "mongodbLogMaxDocumentLength" must be a non-negative integer, not ${most}.`,
    );
};

/** The fields that a message copies from its event. */
const own = [
  ...['commandName', 'databaseName', 'requestId', 'operationId'],
  ...['operation', 'remainingTimeMS', 'reason'],
];

const fieldsOf = (event: DriverEvent, most: number): Document => {
  const { address, connectionId, serverConnectionId, command, reply, failure, error, duration } = event as Document;
  const write = (value: unknown): string => {
    const text = JSON.stringify(value);
    return most > 0 && text.length > most ? `${text.slice(0, most)}...` : text;
  };
  const when = (value: unknown, made: (value: unknown) => unknown): unknown =>
    value === undefined ? undefined : made(value);
  const fields = {
    ...Object.fromEntries(own.map(key => [key, (event as Document)[key] as unknown])),
    serverHost: when(address, at => String(at).split(':')[0]),
    serverPort: when(address, at => Number(String(at).split(':')[1])),
    driverConnectionId: connectionId as unknown,
    serverConnectionId: when(serverConnectionId, Number),
    durationMS: duration as unknown,
    command: when(command, write),
    reply: when(reply, write),
    failure: when(failure, String),
    error: when(error, String),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
};

/** Writes messages in order, until a write fails. */
const inOrder = (to: LogWritable): { readonly isLost: () => boolean; readonly write: (log: LogMessage) => void } => {
  const queue: LogMessage[] = [];
  let state: 'idle' | 'busy' | 'lost' = 'idle';
  const lose = (): void => {
    state = 'lost';
  };
  const next = (): void => {
    state = 'busy';
    try {
      for (let log = queue.shift(); log !== undefined; log = queue.shift()) {
        const written = to.write(log);
        if (written instanceof Promise) return void written.then(next, lose);
      }
      state = 'idle';
    } catch {
      lose();
    }
  };
  return {
    isLost: () => state === 'lost',
    write: log => {
      if (state === 'lost') return;
      queue.push(log);
      if (state === 'idle') next();
    },
  };
};

export const openSmallLog: OpenLog = ({ clock, host }, options) => {
  check(options);
  const { mongodbLogComponentSeverities: given = {}, mongodbLogMaxDocumentLength: most = 1000 } = options;
  const named = (variable: string): string | undefined => {
    const text = host.environment(variable);
    return severities.find(each => each === text);
  };
  const leastOf = (component: LogComponent): string =>
    given[component] ?? given.default ?? named(variables[component]) ?? named('MONGODB_LOG_ALL') ?? 'off';
  const isLogged = ({ c, s }: Entry): boolean => severities.indexOf(s) <= severities.indexOf(leastOf(c));
  const logged = new Map(Object.entries(entries).filter(([, entry]) => isLogged(entry)));
  if (logged.size === 0) return undefined;

  const linesTo = (path: string): LogWritable | undefined => {
    const line = host.openLog?.(path);
    return line && { write: ({ t, ...rest }) => line(`${t.toISOString()} ${JSON.stringify(rest)}`) };
  };
  const open = (path: string): LogWritable | undefined => {
    try {
      return linesTo(path);
    } catch {
      return linesTo('stderr');
    }
  };
  const where = options.mongodbLogPath ?? host.environment('MONGODB_LOG_PATH') ?? 'stderr';
  const writable = typeof where === 'string' ? open(where) : where;
  if (writable === undefined) return undefined;
  const to = inOrder(writable);
  return {
    wants: name => logged.has(name) && !to.isLost(),
    emit: event => {
      const entry = logged.get(event.name);
      if (entry !== undefined) to.write({ t: new Date(clock.wallTime()), ...entry, ...fieldsOf(event, most) });
    },
  };
};

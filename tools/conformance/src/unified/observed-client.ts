import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { Document, DriverEvent, EventName, LogMessage } from '@tessera/contracts';
import { createLog } from '@tessera/log';
import { createTopology } from '@tessera/topology';
import { EJSON } from 'bson';
import { connectionString } from './connection-string.js';
import type { Deployment } from './deployment.js';
import { eventNamed, specifiedName } from './events.js';
import { checkNames } from './names.js';

/** The context in which a client entity is created. */
export interface ClientContext {
  readonly deployment: Deployment;
  /** The test sets fail points, so its clients check their servers more often. Rule: "Executing a Test". */
  readonly hasFailPoint: boolean;
  /** The deployment is sharded: a client uses one mongos unless `useMultipleMongoses` is true. */
  readonly isSharded: boolean;
  /** Records the commands and replies, for `--verbose`. */
  readonly isTraced: boolean;
}

/** Names of commands that contain credentials, in lower case. Rule: "observeSensitiveCommands". */
const sensitive = new Set(
  [
    ...['authenticate', 'saslStart', 'saslContinue', 'getnonce', 'createUser', 'updateUser'],
    ...['copydbgetnonce', 'copydbsaslstart', 'copydb'],
  ].map(name => name.toLowerCase()),
);
const greetings = ['hello', 'ismaster'];

type CommandEvent = Extract<DriverEvent, { readonly commandName: string }>;

/**
 * Returns whether an event is sensitive. A hello that authenticates is sensitive; the driver has emptied its document.
 */
const isSensitive = (event: CommandEvent): boolean => {
  const name = event.commandName.toLowerCase();
  if (sensitive.has(name)) return true;
  if (!greetings.includes(name)) return false;
  const document =
    event.name === 'commandStarted' ? event.command : event.name === 'commandSucceeded' ? event.reply : {};
  return Object.keys(document).length === 0;
};

/**
 * Opens the topology when a client is created, as tests expect. The driver's own topology opens at the first operation.
 */
const topology: typeof createTopology = (...given) => {
  const opened = createTopology(...given);
  opened.open();
  return opened;
};

/** Converts an event to a document with the time of observation in seconds. Rule: `storeEventsAsEntities`. */
const storable = (event: DriverEvent, wallTime: number): Document => {
  const { name, ...fields } = event;
  const { command: _command, reply: _reply, failure, ...rest } = fields as Document;
  return {
    name: specifiedName(name),
    observedAt: wallTime / 1000,
    ...rest,
    ...(failure === undefined ? {} : { failure: String(failure) }),
  };
};

const traced = (event: DriverEvent): string => {
  if (!('commandName' in event)) return event.name;
  if (event.name === 'commandFailed') return `${event.commandName} failed: ${event.failure.message}`;
  const [arrow, document] = event.name === 'commandStarted' ? ['→', event.command] : ['←', event.reply];
  return `${arrow} ${EJSON.stringify(document)}`;
};

/** A client entity with its observed events and log messages. */
export class ObservedClient {
  readonly client: MongoClient;
  readonly events: DriverEvent[] = [];
  readonly logs: LogMessage[] = [];
  /** The number of connections that are checked out. */
  checkedOut: number = 0;
  /** The commands and replies, one line each; empty unless tracing is enabled. */
  readonly trace: string[] = [];
  /** The server address of each session's last command, by lsid. */
  readonly #places = new Map<string, string>();
  readonly #stored = new Map<string, Document[]>();
  readonly #context: ClientContext;
  #isListening = true;
  #ready = 0;

  /** Creates the client. @throws Error that names an option which the driver does not have */
  constructor(given: Document, context: ClientContext) {
    checkNames('client', given, [
      ...['id', 'uriOptions', 'useMultipleMongoses', 'observeEvents', 'observeLogMessages', 'serverApi'],
      ...['ignoreCommandMonitoringEvents', 'observeSensitiveCommands', 'storeEventsAsEntities', 'awaitMinPoolSizeMS'],
    ]);
    this.#context = context;
    this.client = this.#open(given);
    this.#observe(given);
    this.#store((given['storeEventsAsEntities'] as readonly Document[] | undefined) ?? []);
    this.client.on('connectionCheckedOut', () => (this.checkedOut += 1));
    this.client.on('connectionCheckedIn', () => (this.checkedOut -= 1));
    this.client.on('connectionReady', () => (this.#ready += 1));
    this.client.on('commandStarted', ({ command, address }) => {
      const lsid: unknown = command['lsid'];
      if (lsid !== undefined) this.#places.set(EJSON.stringify(lsid), address);
    });
    for (const name of context.isTraced ? (['commandStarted', 'commandSucceeded', 'commandFailed'] as const) : [])
      this.#listen(name, event => this.trace.push(traced(event)));
    Reflect.get(this.client, 'driver');
  }

  /** Returns the address of the server that received the session's last command. */
  placeOf(lsid: Document): string | undefined {
    return this.#places.get(EJSON.stringify(lsid));
  }

  /** The recorded events by entity name. */
  get stored(): ReadonlyMap<string, Document[]> {
    return this.#stored;
  }

  /** Resolves when the pool has `minPoolSize` connections. Rule: `awaitMinPoolSizeMS`. */
  async filled(): Promise<void> {
    const { clock } = this.#context.deployment.runtime;
    while (this.#ready < (this.client.options.minPoolSize ?? 0)) await clock.sleep(5);
  }

  /** Stops recording events and log messages after the last operation. Rule: "Executing a Test". */
  stopListening(): void {
    this.#isListening = false;
  }

  /** Clears the recorded events and log messages. */
  clear(): void {
    this.events.length = 0;
    this.logs.length = 0;
  }

  #open(given: Document): MongoClient {
    const { deployment, hasFailPoint, isSharded } = this.#context;
    const uriOptions = (given['uriOptions'] as Document | undefined) ?? {};
    const oneHost = isSharded && given['useMultipleMongoses'] === false;
    const options = {
      ...(hasFailPoint && uriOptions['heartbeatFrequencyMS'] === undefined
        ? { heartbeatFrequencyMS: 500, minHeartbeatFrequencyMS: 50 }
        : {}),
      ...(given['serverApi'] === undefined ? {} : { serverApi: given['serverApi'] as unknown }),
      mongodbLogComponentSeverities: given['observeLogMessages'] as unknown,
      mongodbLogPath: { write: (log: LogMessage) => this.#isListening && this.logs.push(log) },
      // Rule: Command Logging and Monitoring, tests/README.md.
      mongodbLogMaxDocumentLength: 10_000,
    } as MongoClientOptions;
    const isBehindOne = given['useMultipleMongoses'] !== true && deployment.singleUri !== undefined;
    const base = isBehindOne ? deployment.singleUri : deployment.uri;
    const uri = connectionString(base, { uriOptions, oneHost });
    const client = new MongoClient(uri, options, { runtime: deployment.runtime, parts: { log: createLog, topology } });
    const [unknown] = client.options.warnings.filter(warning => warning.startsWith('There is no option'));
    if (unknown !== undefined) throw new Error(`The driver lacks an option of the client: ${unknown}`);
    return client;
  }

  #observe(given: Document): void {
    const names = (given['observeEvents'] as readonly string[] | undefined) ?? [];
    const ignored = new Set((given['ignoreCommandMonitoringEvents'] as readonly string[] | undefined) ?? []);
    const take = (event: DriverEvent): void => {
      if (!this.#isListening) return;
      if ('commandName' in event) {
        if (ignored.has(event.commandName) || event.commandName === 'configureFailPoint') return;
        if (given['observeSensitiveCommands'] !== true && isSensitive(event)) return;
      }
      this.events.push(event);
    };
    for (const name of names) this.#listen(eventNamed(name), take);
  }

  #store(entities: readonly Document[]): void {
    const { clock } = this.#context.deployment.runtime;
    for (const { id, events } of entities) {
      const list: Document[] = [];
      this.#stored.set(id as string, list);
      for (const name of events as readonly string[])
        this.#listen(eventNamed(name[0]!.toLowerCase() + name.slice(1)), event =>
          list.push(storable(event, clock.wallTime())),
        );
    }
  }

  #listen(name: EventName, listener: (event: DriverEvent) => void): void {
    (this.client.on.bind(this.client) as (name: EventName, listener: (event: DriverEvent) => void) => unknown)(
      name,
      listener,
    );
  }
}

import { MongoClient } from '@tessera/client';
import type { Collection, Db, MongoClientOptions } from '@tessera/client';
import type { Document, DriverEvent, EventName, LogMessage, Runtime } from '@tessera/contracts';
import { createLog } from '@tessera/log';
import { createTopology } from '@tessera/topology';
import { Unsupported } from './unsupported.js';

/** A client and what was observed of it. */
export interface ObservedClient {
  readonly client: MongoClient;
  readonly events: readonly DriverEvent[];
  readonly logs: readonly LogMessage[];
}

/** The format's names of events, and ours. */
const observable = {
  commandStartedEvent: 'commandStarted',
  commandSucceededEvent: 'commandSucceeded',
  commandFailedEvent: 'commandFailed',
  poolCreatedEvent: 'connectionPoolCreated',
  poolReadyEvent: 'connectionPoolReady',
  poolClearedEvent: 'connectionPoolCleared',
  poolClosedEvent: 'connectionPoolClosed',
  connectionCreatedEvent: 'connectionCreated',
  connectionReadyEvent: 'connectionReady',
  connectionClosedEvent: 'connectionClosed',
  connectionCheckOutStartedEvent: 'connectionCheckOutStarted',
  connectionCheckOutFailedEvent: 'connectionCheckOutFailed',
  connectionCheckedOutEvent: 'connectionCheckedOut',
  connectionCheckedInEvent: 'connectionCheckedIn',
  serverDescriptionChangedEvent: 'serverDescriptionChanged',
  topologyDescriptionChangedEvent: 'topologyDescriptionChanged',
  topologyOpeningEvent: 'topologyOpening',
  topologyClosedEvent: 'topologyClosed',
  serverHeartbeatStartedEvent: 'serverHeartbeatStarted',
  serverHeartbeatSucceededEvent: 'serverHeartbeatSucceeded',
  serverHeartbeatFailedEvent: 'serverHeartbeatFailed',
} as const satisfies Readonly<Record<string, EventName>>;

/** The name of our event. @throws Unsupported for others. */
export const eventNamed = (name: string): EventName => {
  if (!Object.hasOwn(observable, name)) throw new Unsupported(`the event ${name}`);
  return observable[name as keyof typeof observable];
};

/** Rule: "observeSensitiveCommands". */
const sensitive = new Set(
  [
    ...['authenticate', 'saslStart', 'saslContinue', 'getnonce', 'createUser', 'updateUser'],
    ...['copydbgetnonce', 'copydbsaslstart', 'copydb'],
  ].map(name => name.toLowerCase()),
);
const greetings = ['hello', 'ismaster'];

const known = (given: Document, ...names: readonly string[]): void => {
  const other = Object.keys(given).find(name => !names.includes(name));
  if (other !== undefined) throw new Unsupported(`the entity option ${other}`);
};

/** Tests expect a client to look for its servers as soon as it is there; the driver's would wait for its first operation, or for whoever asks for what it is made of. */
const topology: typeof createTopology = (...given) => {
  const opened = createTopology(...given);
  opened.open();
  return opened;
};

/** What a test made, by its names. Rule: Unified Test Format, "entity". */
export class Entities {
  readonly #runtime: Runtime;
  readonly #uri: string;
  readonly #clients = new Map<string, ObservedClient>();
  readonly #databases = new Map<string, Db>();
  readonly #collections = new Map<string, Collection>();

  constructor(runtime: Runtime, uri: string) {
    this.#runtime = runtime;
    this.#uri = uri;
  }

  /** @throws Unsupported for entities of other kinds. */
  create(entities: readonly Readonly<Record<string, Document>>[]): void {
    for (const entity of entities)
      for (const [kind, given] of Object.entries(entity)) {
        if (kind === 'client') this.#createClient(given);
        else if (kind === 'database') this.#createDatabase(given);
        else if (kind === 'collection') this.#createCollection(given);
        else throw new Unsupported(`the entity ${kind}`);
      }
  }

  client(id: string): ObservedClient {
    return this.#found(this.#clients, id);
  }

  /** What an operation is called on. */
  target(id: string): MongoClient | Db | Collection {
    return this.#databases.get(id) ?? this.#collections.get(id) ?? this.client(id).client;
  }

  async close(): Promise<void> {
    for (const { client } of this.#clients.values()) await client.close();
  }

  #found<T>(all: ReadonlyMap<string, T>, id: string): T {
    const one = all.get(id);
    if (one === undefined) throw new Unsupported(`the entity ${id}`);
    return one;
  }

  #createClient(given: Document): void {
    known(
      given,
      ...['id', 'uriOptions', 'useMultipleMongoses', 'observeEvents', 'observeLogMessages'],
      ...['ignoreCommandMonitoringEvents', 'observeSensitiveCommands'],
    );
    const logs: LogMessage[] = [];
    const options: MongoClientOptions = {
      ...(given['uriOptions'] as MongoClientOptions | undefined),
      mongodbLogComponentSeverities: given['observeLogMessages'] as MongoClientOptions['mongodbLogComponentSeverities'],
      mongodbLogPath: { write: log => logs.push(log) },
      // Rule: Command Logging and Monitoring, tests/README.md.
      mongodbLogMaxDocumentLength: 10_000,
    };
    const client = this.#newClient(options);
    const ignored = new Set((given['ignoreCommandMonitoringEvents'] as readonly string[] | undefined) ?? []);
    const events: DriverEvent[] = [];
    const take = (event: DriverEvent): void => {
      if ('commandName' in event) {
        if (ignored.has(event.commandName) || event.commandName === 'configureFailPoint') return;
        if (given['observeSensitiveCommands'] !== true && isSensitive(event)) return;
      }
      events.push(event);
    };
    const listen = client.on.bind(client) as (name: EventName, listener: typeof take) => MongoClient;
    for (const name of (given['observeEvents'] as readonly string[] | undefined) ?? []) listen(eventNamed(name), take);
    this.#clients.set(given['id'] as string, { client, events, logs });
    Reflect.get(client, 'driver');
  }

  #newClient(options: MongoClientOptions): MongoClient {
    try {
      return new MongoClient(this.#uri, options, { runtime: this.#runtime, parts: { log: createLog, topology } });
    } catch (error) {
      const name = /^There is no option '(\w+)'/.exec((error as Error).message)?.[1];
      throw name === undefined ? error : new Unsupported(`the option ${name}, which the driver has not`);
    }
  }

  #createDatabase(given: Document): void {
    known(given, 'id', 'client', 'databaseName', 'databaseOptions');
    const { client } = this.client(given['client'] as string);
    const options = given['databaseOptions'] as Document | undefined;
    this.#databases.set(given['id'] as string, client.db(given['databaseName'] as string, options));
  }

  #createCollection(given: Document): void {
    known(given, 'id', 'database', 'collectionName', 'collectionOptions');
    const database = this.#found(this.#databases, given['database'] as string);
    const options = given['collectionOptions'] as Document | undefined;
    this.#collections.set(given['id'] as string, database.collection(given['collectionName'] as string, options));
  }
}

/** A greeting is sensitive if it logs in: then its document was taken out of the event. */
const isSensitive = (event: Extract<DriverEvent, { readonly commandName: string }>): boolean => {
  const name = event.commandName.toLowerCase();
  if (sensitive.has(name)) return true;
  if (!greetings.includes(name)) return false;
  const document =
    event.name === 'commandStarted' ? event.command : event.name === 'commandSucceeded' ? event.reply : {};
  return Object.keys(document).length === 0;
};

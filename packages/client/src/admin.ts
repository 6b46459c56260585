import type { Document } from '@tessera/contracts';
import { dropUser, listDatabases } from '@tessera/operations';
import { Described } from './described.js';
import { MongoUnexpectedServerResponseError } from './errors.js';
import { commandFields, Handle } from './handle.js';
import { argument, checkArgument, checkOptions } from './operation-options.js';
import type { CommandOptions, OperationOptions } from './handle.js';
import type { ResolvedOptions, Origin } from './resolved-options.js';
import { asPromise, rethrow } from './stack-trace.js';

/** Options of `admin.listDatabases`. */
export interface ListDatabasesOptions extends CommandOptions {
  /** A filter on the descriptions of databases, such as `{ name: /^shop/ }`. Default: all databases. */
  filter?: Document | undefined;
  /** Returns only the names, which is faster because the server computes no sizes. Default: false. */
  nameOnly?: boolean | undefined;
  /**
   * Whether to return only databases that the user may read. Default: chosen by the server from the user's privileges.
   */
  authorizedDatabases?: boolean | undefined;
}

/** The databases of a deployment. */
export interface ListDatabasesResult {
  /** The name of each database, and its size on disk in bytes. */
  databases: ({
    name: string;
    sizeOnDisk?: number;
    empty?: boolean;
  } & Document)[];
  /** The sum of the sizes in bytes. Absent with `nameOnly`. */
  totalSize?: number;
  /** The sum of the sizes in megabytes. Absent with `nameOnly`. */
  totalSizeMb?: number;
  /** 1, because errors are thrown. */
  ok: 0 | 1;
}

/** Options of `admin.validateCollection`. */
export interface ValidateCollectionOptions extends CommandOptions {
  /** Validates the collection without blocking writes. */
  background?: boolean | undefined;
  /** Also checks all data structures on disk, which is slower. Default: false. */
  full?: boolean | undefined;
}

/** Commands of the `admin` database. */
export class Admin extends Described {
  readonly #handle: Handle;
  /** The database whose method `admin` created this object. */
  readonly #database: Handle;

  /** Use `db.admin()` instead. */
  constructor(client: Origin, resolved: ResolvedOptions, database: string) {
    super();
    this.#handle = new Handle(client, 'admin', '', resolved);
    this.#database = new Handle(client, database, '', resolved);
  }

  /**
   * Runs a command unchanged and returns the reply. Rule: Run Command.
   * @example const status = await admin.command({ getParameter: '*' });
   */
  command(command: Document, options?: OperationOptions): Promise<Document> {
    return this.#handle.command(command, options);
  }

  /**
   * Returns the databases of the deployment. Rule: Enumerating Databases.
   * @example const { databases } = await admin.listDatabases({ nameOnly: true });
   */
  listDatabases(given?: ListDatabasesOptions | null): Promise<ListDatabasesResult> {
    return asPromise(() => {
      const options = given ?? {};
      const { filter, nameOnly, authorizedDatabases } = options;
      const fields = commandFields(options);
      if (filter !== undefined) fields['filter'] = filter;
      if (nameOnly !== undefined) fields['nameOnly'] = nameOnly;
      if (authorizedDatabases !== undefined) fields['authorizedDatabases'] = authorizedDatabases;
      // The numbers of the result are numbers with every BSON option of the client.
      const handle = this.#handle.bare().with(options);
      return handle.run<Document, ListDatabasesResult>(listDatabases(handle, fields), options);
    });
  }

  /**
   * Returns the version and build of the server.
   * @example const { version } = await admin.buildInfo();
   */
  buildInfo(options?: OperationOptions): Promise<Document> {
    return this.command({ buildInfo: 1 }, options);
  }

  /**
   * Returns the version and build of the server, as `buildInfo` does.
   * @example const { version } = await admin.serverInfo();
   */
  serverInfo(options?: OperationOptions): Promise<Document> {
    return this.buildInfo(options);
  }

  /**
   * Returns the state and counters of the server.
   * @example const { connections } = await admin.serverStatus();
   */
  serverStatus(options?: OperationOptions): Promise<Document> {
    return this.command({ serverStatus: 1 }, options);
  }

  /**
   * Checks that a server replies, and returns `{ ok: 1 }`.
   * @example await admin.ping();
   */
  ping(options?: OperationOptions): Promise<Document> {
    return this.command({ ping: 1 }, options);
  }

  /**
   * Returns the state of the replica set.
   * @example const { members } = await admin.replSetGetStatus();
   */
  replSetGetStatus(options?: OperationOptions): Promise<Document> {
    return this.command({ replSetGetStatus: 1 }, options);
  }

  /**
   * Removes a user of the `admin` database. Returns true.
   * @example await admin.removeUser('reporter');
   */
  removeUser(name: string, options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      checkArgument('name', name, argument.text);
      const handle = this.#handle.with(options);
      return handle.run(dropUser(handle, name, commandFields(options)), options, () => true);
    });
  }

  /**
   * Validates a collection of the database whose method `admin` was called, and returns the server's report.
   * @throws MongoUnexpectedServerResponseError if the collection is not valid
   * @example const { valid } = await db.admin().validateCollection('films', { full: true });
   */
  validateCollection(name: string, given?: ValidateCollectionOptions | null): Promise<Document> {
    const options = given ?? {};
    const { background, full } = options;
    const command: Document = { validate: name, ...commandFields(options) };
    if (background !== undefined) command['background'] = background;
    if (full !== undefined) command['full'] = full;
    const check = (answer: Document): Document => {
      if (answer['valid'] !== false) return answer;
      const errors = (answer['errors'] ?? []) as readonly unknown[];
      throw new MongoUnexpectedServerResponseError(`The collection ${name} is not valid: ${errors.join('; ')}`);
    };
    return asPromise(() => {
      checkArgument('name', name, argument.text);
      checkOptions(given);
      return this.#database.command(command, options).then(check).catch(rethrow);
    });
  }
}

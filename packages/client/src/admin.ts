import type { Document } from '@tessera/contracts';
import { dropUser, listDatabases } from '@tessera/operations';
import { Described } from './described.js';
import { MongoUnexpectedServerResponseError } from './errors.js';
import { commandFields, Handle } from './handle.js';
import { argument, checkArgument } from './operation-options.js';
import type { CommandOptions, OperationOptions } from './handle.js';
import type { ResolvedOptions, Origin } from './resolved-options.js';
import { asPromise, rethrow } from './stack-trace.js';

export interface ListDatabasesOptions extends CommandOptions {
  readonly filter?: Document | undefined;
  readonly nameOnly?: boolean | undefined;
  readonly authorizedDatabases?: boolean | undefined;
}

export interface ListDatabasesResult {
  readonly databases: readonly ({
    readonly name: string;
    readonly sizeOnDisk?: number;
    readonly empty?: boolean;
  } & Document)[];
  readonly totalSize?: number;
  readonly totalSizeMb?: number;
  readonly ok: number;
}

export interface ValidateCollectionOptions extends CommandOptions {
  /** Validates the collection without blocking writes. */
  readonly background?: boolean | undefined;
  readonly full?: boolean | undefined;
}

/** Commands of the `admin` database. */
export class Admin extends Described {
  readonly #handle: Handle;

  constructor(client: Origin, resolved: ResolvedOptions) {
    super();
    this.#handle = new Handle(client, 'admin', '', resolved);
  }

  /** Runs a command unchanged and returns the reply. Rule: Run Command. */
  command(command: Document, options?: OperationOptions): Promise<Document> {
    return this.#handle.command(command, options);
  }

  /** Returns the databases of the deployment. Rule: Enumerating Databases. */
  listDatabases(given?: ListDatabasesOptions | null): Promise<ListDatabasesResult> {
    return asPromise(() => {
      const options = given ?? {};
      const { filter, nameOnly, authorizedDatabases } = options;
      const fields = commandFields(options);
      if (filter !== undefined) fields['filter'] = filter;
      if (nameOnly !== undefined) fields['nameOnly'] = nameOnly;
      if (authorizedDatabases !== undefined) fields['authorizedDatabases'] = authorizedDatabases;
      const handle = this.#handle.with(options);
      return handle.run<Document, ListDatabasesResult>(listDatabases(handle, fields), options);
    });
  }

  /** Returns the version and build of the server. */
  buildInfo(options?: OperationOptions): Promise<Document> {
    return this.command({ buildInfo: 1 }, options);
  }

  /** Like `buildInfo`. */
  serverInfo(options?: OperationOptions): Promise<Document> {
    return this.buildInfo(options);
  }

  /** Returns the state and counters of the server. */
  serverStatus(options?: OperationOptions): Promise<Document> {
    return this.command({ serverStatus: 1 }, options);
  }

  /** Checks that a server replies. */
  ping(options?: OperationOptions): Promise<Document> {
    return this.command({ ping: 1 }, options);
  }

  /** Returns the state of the replica set. */
  replSetGetStatus(options?: OperationOptions): Promise<Document> {
    return this.command({ replSetGetStatus: 1 }, options);
  }

  /** Removes a user of the `admin` database. Returns true. */
  removeUser(name: string, options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      checkArgument('name', name, argument.text);
      const handle = this.#handle.with(options);
      return handle.run(dropUser(handle, name, commandFields(options)), options, () => true);
    });
  }

  /**
   * Validates a collection and returns the server's report.
   * @throws MongoUnexpectedServerResponseError if the collection is not valid
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
      return this.command(command, options).then(check).catch(rethrow);
    });
  }
}

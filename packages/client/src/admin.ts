import type { Document } from '@tessera/contracts';
import { dropUser, listDatabases } from '@tessera/operations';
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
  /** Without stopping writes. */
  readonly background?: boolean | undefined;
  readonly full?: boolean | undefined;
}

/** Commands of the `admin` database. */
export class Admin {
  readonly #handle: Handle;

  constructor(client: Origin, resolved: ResolvedOptions) {
    this.#handle = new Handle(client, 'admin', '', resolved);
  }

  command(command: Document, options?: OperationOptions): Promise<Document> {
    return this.#handle.command(command, options);
  }

  /** Rule: Enumerating Databases. */
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

  buildInfo(options?: OperationOptions): Promise<Document> {
    return this.command({ buildInfo: 1 }, options);
  }

  serverInfo(options?: OperationOptions): Promise<Document> {
    return this.buildInfo(options);
  }

  serverStatus(options?: OperationOptions): Promise<Document> {
    return this.command({ serverStatus: 1 }, options);
  }

  ping(options?: OperationOptions): Promise<Document> {
    return this.command({ ping: 1 }, options);
  }

  replSetGetStatus(options?: OperationOptions): Promise<Document> {
    return this.command({ replSetGetStatus: 1 }, options);
  }

  removeUser(name: string, options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      checkArgument('name', name, argument.text);
      const handle = this.#handle.with(options);
      return handle.run(dropUser(handle, name, commandFields(options)), options, () => true);
    });
  }

  /** @throws MongoUnexpectedServerResponseError if the collection is not valid; its message says what the server found. */
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

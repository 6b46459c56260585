import type { Document } from '@tessera/contracts';
import { listDatabases } from '@tessera/operations';
import { attempt, commandFields, Handle } from './handle.js';
import type { CommandOptions, Inherited, OperationOptions, Origin } from './handle.js';

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

/** Commands of the `admin` database. */
export class Admin {
  readonly #handle: Handle;

  constructor(client: Origin, inherited: Inherited) {
    this.#handle = new Handle(client, 'admin', '', inherited);
  }

  command(command: Document, options?: OperationOptions): Promise<Document> {
    return this.#handle.command(command, options);
  }

  /** Rule: Enumerating Databases. */
  listDatabases(options: ListDatabasesOptions = {}): Promise<ListDatabasesResult> {
    return attempt(() => {
      const { filter, nameOnly, authorizedDatabases } = options;
      const fields = commandFields(options);
      if (filter !== undefined) fields['filter'] = filter;
      if (nameOnly !== undefined) fields['nameOnly'] = nameOnly;
      if (authorizedDatabases !== undefined) fields['authorizedDatabases'] = authorizedDatabases;
      const handle = this.#handle.with(options);
      return handle.run<Document, ListDatabasesResult>(listDatabases(handle.target, fields), options);
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

  validateCollection(name: string, options?: OperationOptions): Promise<Document> {
    return this.command({ validate: name }, options);
  }
}

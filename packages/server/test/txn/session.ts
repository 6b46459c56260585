import type { Document } from 'bson';
import { Long, UUID } from 'bson';
import type { ServerOptions } from '../../src/index.js';
import type { Client, Reply, World } from '../client.js';
import { world } from '../client.js';

export const set = (options: ServerOptions = {}): World => world({ replicaSet: 'rs0', testCommands: true, ...options });

/** A session of a driver: adds the session and transaction fields to commands. */
export class Session {
  readonly lsid: Document;
  readonly #client: Client;
  readonly #n: number;
  #number = 0;
  #begins = false;

  constructor(client: Client, n = 1) {
    this.#client = client;
    this.#n = n;
    this.lsid = { id: new UUID(`00112233-4455-6677-8899-${String(n).padStart(12, '0')}`) };
  }

  /** Returns the same session on another connection. */
  on(client: Client): Session {
    const same = new Session(client, this.#n);
    same.#number = this.#number;
    return same;
  }

  get number(): Document {
    return { lsid: this.lsid, txnNumber: Long.fromNumber(this.#number) };
  }

  /** Starts a transaction: the next command is its first. */
  start(): this {
    this.#number += 1;
    this.#begins = true;
    return this;
  }

  #as(command: Document): Document {
    const first = this.#begins ? { startTransaction: true } : {};
    this.#begins = false;
    return { ...command, ...this.number, ...first, autocommit: false };
  }

  /** Runs a command in the transaction. */
  run(command: Document, db?: string): Promise<Reply> {
    return this.#client.plain(this.#as(command), db);
  }

  /** Returns the code and labels of the error or of the first write error, or `none`. */
  async refusal(command: Document, db?: string): Promise<string> {
    const { ok, code, errorLabels = [], writeErrors = [] } = await this.run(command, db);
    if (ok === 1 && writeErrors.length === 0) return 'none';
    return [ok === 0 ? code : `write error ${writeErrors[0]!.code}`, ...(errorLabels as string[])].join(' ');
  }

  commit(more: Document = {}): Promise<Reply> {
    return this.run({ commitTransaction: 1, ...more }, 'admin');
  }

  abort(): Promise<Reply> {
    return this.run({ abortTransaction: 1 }, 'admin');
  }
}

export const all = async (client: Client, name = 'c'): Promise<readonly unknown[]> =>
  (await client.plain({ find: name, sort: { _id: 1 } })).cursor.firstBatch;

export const transient = 'TransientTransactionError';

export const one: Document = { _id: 1, x: 1 };

export const increment = (id: unknown, by: number = 1): Document => ({
  update: 'c',
  updates: [{ q: { _id: id }, u: { $inc: { x: by } } }],
});

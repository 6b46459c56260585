import type { Version } from '@tessera/mql/engine';
import { BinaryValue, Doc, detached } from '@tessera/mql/engine';
import type { Collection, DatabaseValue } from '@tessera/store';
import { emptyCollection, insertRecord } from '@tessera/store';
import type { Log } from '../log/log.js';
import { Oplog } from '../log/oplog.js';
import { configDoc } from './config-document.js';
import type { SetConfig } from './set-config.js';

const replset: Collection = emptyCollection({
  ns: 'local.system.replset',
  uuid: new BinaryValue(4, new Uint8Array(16).fill(1)),
  options: Doc.EMPTY,
  capped: undefined,
  validator: undefined,
});

/** A member's database `local`. It is read-only, and built when a client reads it. */
export class LocalDatabase {
  readonly #oplog: Oplog;
  readonly #version: Version;
  #config: { readonly of: SetConfig; readonly collection: Collection } | undefined;

  constructor(version: Version, oplogBytes: number) {
    this.#oplog = new Oplog(oplogBytes);
    this.#version = version;
  }

  /** Returns the data with `local.oplog.rs` and `local.system.replset` added. */
  over(base: DatabaseValue, log: Log, config: SetConfig): DatabaseValue {
    const value = this.#oplog.over(base, log);
    const edit = { for: replset.settings.ns };
    if (this.#config?.of !== config) {
      const doc = detached(configDoc(config, this.#version));
      this.#config = { of: config, collection: insertRecord(replset, doc, edit) };
    }
    return { ...value, namespaces: value.namespaces.set(replset.settings.ns, this.#config.collection, edit) };
  }
}

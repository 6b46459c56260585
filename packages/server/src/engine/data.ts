import type { Author } from '../log/entry.js';
import { detached } from '../value/bson.js';
import type { DatabaseValue, Draft } from './database.js';
import type { Engine } from './engine.js';

/** What a command reads and writes. */
export interface Data {
  readonly value: DatabaseValue;
  /** Makes the next value of it; if the work throws, nothing has changed. */
  change<T>(what: string, work: (draft: Draft) => T): T;
}

/** The newest data; what is written is written in somebody's name. */
export const authored = (engine: Engine, { lsid, txnNumber }: Author): Data => ({
  get value() {
    return engine.value;
  },
  // The request's bytes go; the author stays in the log.
  change: (what, work) => engine.change(what, work, { lsid: detached(lsid), txnNumber }),
});

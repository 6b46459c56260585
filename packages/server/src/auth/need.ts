import type { Doc, Value } from '@tessera/mql/engine';
import type { Action } from './actions.js';
import type { Target } from './privilege.js';

/** A requirement of a command: at least one of these actions must be allowed on the target. */
export interface Need {
  readonly anyOf: readonly Action[];
  readonly on: Target;
  /** Needs that together replace this one. */
  readonly or?: readonly Need[];
  /** The need concerns only clients that may read this. */
  readonly ofReadersOf?: Target;
}

/** The parts of a command on which access to it depends. */
export interface Request {
  readonly db: string;
  readonly body: Doc;
  /** The users who send the command, as `db.name`. */
  readonly asking: ReadonlySet<string>;
  /** All roles of these users, as `db.name`. */
  readonly roles: ReadonlySet<string>;
  /** Returns the name of the command that has this name or alias. */
  readonly named: (spelling: string) => string | undefined;
}

export type NeedsOf = (request: Request) => readonly Need[];

export const need = (action: Action, on: Target): Need => ({ anyOf: [action], on });

export const database = (db: string): Target => ({ kind: 'database', db });

export const collectionOf = (db: string, collection: Value | undefined): Target =>
  typeof collection === 'string' ? { kind: 'collection', db, collection } : database(db);

export const namespaceNamed = (ns: Value | undefined): Target => {
  const text = typeof ns === 'string' ? ns : '';
  const dot = text.indexOf('.');
  // A namespace without a dot is the name of a database.
  return dot < 0 ? database(text) : collectionOf(text.slice(0, dot), text.slice(dot + 1));
};

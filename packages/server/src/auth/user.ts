import type { BinaryValue, Doc, Value } from '@tessera/mql/engine';
import type { Role } from './roles.js';
import type { Mechanism, ScramCredential } from './scram.js';

/** A user as the server keeps it. */
export interface KeptUser {
  readonly user: string;
  readonly db: string;
  readonly id: BinaryValue;
  readonly roles: readonly Role[];
  readonly customData: Doc | undefined;
  /** As they were given; they are told, and not looked at. */
  readonly restrictions: readonly Value[];
  /** What is kept of the password; undefined: it is the one that was given when the server was started. */
  readonly kept: ReadonlyMap<Mechanism, ScramCredential> | undefined;
}

export interface User extends KeptUser {
  /** Those that are made from a password that was given at the start are made when they are first asked for: that is slow on purpose. */
  readonly credentials: ReadonlyMap<Mechanism, () => Promise<ScramCredential>>;
  /** Of a user of `$external` whom PLAIN lets in: this server stands in for the directory that would know the password. */
  readonly plain: (() => Promise<ScramCredential>) | undefined;
}

export const keyOf = ({ user, db }: { readonly user: string; readonly db: string }): string => `${db}.${user}`;

/** The database of those who prove elsewhere who they are. */
export const external = '$external';

/** A user of `$external` proves it by what that place knows. */
export const mechanismsOf = ({ db, credentials }: User): readonly string[] =>
  db === external ? ['external'] : [...credentials.keys()];

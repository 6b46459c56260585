import type { BinaryValue, Doc, Value } from '@tessera/mql/engine';
import type { Role } from './roles.js';
import type { Mechanism, ScramCredential } from './scram.js';

/** A user as the server stores it. */
export interface KeptUser {
  readonly user: string;
  readonly db: string;
  readonly id: BinaryValue;
  readonly roles: readonly Role[];
  readonly customData: Doc | undefined;
  /** Restrictions by address. The server stores and returns them, but does not enforce them. */
  readonly restrictions: readonly Value[];
  /** The keys derived from the password; undefined if the password is the one from the server's options. */
  readonly kept: ReadonlyMap<Mechanism, ScramCredential> | undefined;
}

export interface User extends KeptUser {
  /**
   * The user's keys by mechanism. Deriving them is slow on purpose, so keys of a password from the server's options are
   * derived at their first use.
   */
  readonly credentials: ReadonlyMap<Mechanism, () => Promise<ScramCredential>>;
  /**
   * For users of `$external` with a password: the keys that verify it for PLAIN. The server acts as the directory that
   * stores the password.
   */
  readonly plain: (() => Promise<ScramCredential>) | undefined;
}

export const keyOf = ({ user, db }: { readonly user: string; readonly db: string }): string => `${db}.${user}`;

/** The database of users that an external source authenticates. */
export const external = '$external';

/** Returns the user's mechanisms. For users of `$external` that is `external`. */
export const mechanismsOf = ({ db, credentials }: User): readonly string[] =>
  db === external ? ['external'] : [...credentials.keys()];

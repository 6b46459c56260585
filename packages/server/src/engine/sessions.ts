import type { Doc, Value } from '@tessera/mql/engine';
import { BinaryValue, fail, show } from '@tessera/mql/engine';

/** The bytes of a session's `lsid.id`, followed by the digest of its user where users are logged in. */
export type SessionKey = string;

const idLength = 16;

/** Returns the digest of a session's user, or '' for a session without a user. */
export const userOf = (key: SessionKey): string => key.slice(idLength);

/** Converts 16 bytes to a string. The call is unrolled, because it happens for nearly every command. */
const keyOfUuid = (b: Uint8Array): SessionKey =>
  String.fromCharCode(
    b[0]!,
    b[1]!,
    b[2]!,
    b[3]!,
    b[4]!,
    b[5]!,
    b[6]!,
    b[7]!,
    b[8]!,
    b[9]!,
    b[10]!,
    b[11]!,
    b[12]!,
    b[13]!,
    b[14]!,
    b[15]!,
  );

/** Returns the key of a session without a user. @throws CommandError for an `lsid` that is not `{ id: UUID }` */
export const sessionKeyOf = (lsid: Doc): SessionKey => {
  let id: Value | undefined;
  let unknown: string | undefined;
  for (const [name, value] of lsid.entries()) {
    if (name === 'id') id ??= value;
    else if (name !== 'uid' && name !== 'txnNumber' && name !== 'txnUUID') unknown ??= name;
  }
  if (id === undefined)
    throw fail('IDLFailedToParse', `BSON field 'OperationSessionInfo.lsid.id' is missing but a required field`);
  if (!(id instanceof BinaryValue) || id.subtype !== 4) {
    throw fail(
      'TypeMismatch',
      `BSON field 'OperationSessionInfo.lsid.id' is the wrong type, expected a binData of subtype 4, got ${show(id)}`,
    );
  }
  if (id.bytes.length !== 16) throw fail('InvalidUUID', 'uuid must be a 16-byte binary field with UUID (4) subtype');
  if (unknown !== undefined) {
    throw fail('IDLUnknownField', `BSON field 'OperationSessionInfo.lsid.${unknown}' is an unknown field.`);
  }
  return keyOfUuid(id.bytes);
};

interface SessionRecord {
  readonly id: BinaryValue;
  /** The digest of its user; '' for a session without a user. */
  readonly user: string;
  /** Milliseconds since 1970. */
  lastUse: number;
}

/** The sessions in use. */
export class Sessions {
  readonly #most: number;
  readonly #open = new Map<SessionKey, SessionRecord>();

  /**
   * @param most the number of sessions above which {@link overflow} returns sessions to end, because clients may never
   * end theirs
   */
  constructor(most: number = 100_000) {
    this.#most = most;
  }

  get size(): number {
    return this.#open.size;
  }

  has(key: SessionKey): boolean {
    return this.#open.has(key);
  }

  /**
   * Notes the use of a session. Returns whether it was known.
   * @param lsid a session id checked by {@link sessionKeyOf}
   */
  used(key: SessionKey, lsid: Doc, nowMs: number): boolean {
    const known = this.#open.get(key);
    if (known !== undefined) {
      known.lastUse = nowMs;
      return true;
    }
    const { subtype, bytes } = lsid.get('id') as BinaryValue;
    this.#open.set(key, { id: new BinaryValue(subtype, bytes.slice()), user: userOf(key), lastUse: nowMs });
    return false;
  }

  /** Returns the least recently used half of the sessions if there are too many, else none. */
  overflow(): readonly SessionKey[] {
    if (this.#open.size <= this.#most) return [];
    const byUse = [...this.#open].sort(([, a], [, b]) => a.lastUse - b.lastUse);
    return byUse.slice(0, this.#most / 2).map(([key]) => key);
  }

  /** The sessions of the user with this digest. */
  of(user: string): readonly SessionKey[] {
    return [...this.#open].filter(([, record]) => record.user === user).map(([key]) => key);
  }

  unusedSince(ms: number): readonly SessionKey[] {
    return [...this.#open].filter(([, { lastUse }]) => lastUse <= ms).map(([key]) => key);
  }

  end(key: SessionKey): void {
    this.#open.delete(key);
  }

  clear(): void {
    this.#open.clear();
  }

  [Symbol.iterator](): Iterator<Readonly<SessionRecord>> {
    return this.#open.values();
  }
}

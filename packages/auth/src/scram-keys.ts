import { toBase64 } from '@tessera/contracts';
import type { Crypto, HashName, Host, Raw } from '@tessera/contracts';
import { scramSecret } from './scram-secret.js';
import type { ServerFirst } from './scram-messages.js';
import { utf8 } from './utf8.js';

export type ScramMechanism = 'SCRAM-SHA-1' | 'SCRAM-SHA-256';

export const scramHash: Readonly<Record<ScramMechanism, HashName>> = {
  'SCRAM-SHA-1': 'sha1',
  'SCRAM-SHA-256': 'sha256',
};

const lengths: Readonly<Record<ScramMechanism, number>> = { 'SCRAM-SHA-1': 20, 'SCRAM-SHA-256': 32 };

/** The keys derived from a password. Rule: RFC 5802, section 3. */
export interface ScramKeys {
  readonly client: Raw;
  /** The hash of the client key. */
  readonly stored: Raw;
  readonly server: Raw;
}

/**
 * The maximum number of cached keys. All servers of a deployment share one salt per user and mechanism, so many salts
 * indicate a malicious server.
 */
const mostKept = 64;

/**
 * Derived keys per crypto, shared by all of its clients, so that a process that opens a client for every request
 * derives once. The most recent keys come last.
 */
const derivedBy = new WeakMap<Crypto, Map<string, Promise<ScramKeys>>>();

const knownTo = (crypto: Crypto): Map<string, Promise<ScramKeys>> => {
  const known = derivedBy.get(crypto) ?? new Map<string, Promise<ScramKeys>>();
  derivedBy.set(crypto, known);
  return known;
};

/**
 * Derives the keys of one user and caches them, because the derivation is slow by design. Concurrent connections and
 * all clients of the same crypto share it. Rule: Authentication, "Caching credentials in SCRAM".
 */
export class ScramKeyCache {
  readonly #crypto: Crypto;
  readonly #host: Host | undefined;
  readonly #username: string;
  readonly #password: string;
  readonly #known: Map<string, Promise<ScramKeys>>;

  constructor(
    { crypto, host }: { readonly crypto: Crypto; readonly host?: Host | undefined },
    username: string,
    password: string,
  ) {
    this.#crypto = crypto;
    this.#host = host;
    this.#username = username;
    this.#password = password;
    this.#known = knownTo(crypto);
  }

  for(mechanism: ScramMechanism, { salt, iterations }: ServerFirst): Promise<ScramKeys> {
    const key = this.#keyOf([mechanism, iterations, toBase64(salt), this.#username, this.#password]);
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const derived = this.#derive(mechanism, salt, iterations);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= mostKept && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, derived);
    derived.catch(() => this.#known.delete(key));
    return derived;
  }

  /** Returns a digest as the cache key, so that no password outlives its client. */
  #keyOf(parts: readonly (string | number)[]): string {
    return toBase64(this.#crypto.hash('sha256', utf8(JSON.stringify(parts))));
  }

  async #derive(mechanism: ScramMechanism, salt: Raw, iterations: number): Promise<ScramKeys> {
    const hash = scramHash[mechanism];
    const deps = { crypto: this.#crypto, host: this.#host };
    const secret = await scramSecret(deps, mechanism, this.#username, this.#password);
    const salted = await this.#crypto.pbkdf2(hash, secret, salt, iterations, lengths[mechanism]);
    const client = this.#crypto.hmac(hash, salted, utf8('Client Key'));
    return {
      client,
      stored: this.#crypto.hash(hash, client),
      server: this.#crypto.hmac(hash, salted, utf8('Server Key')),
    };
  }
}

/** The server side of SCRAM. Rule: RFC 5802; RFC 7677; the specification Authentication for MongoDB's deviations. */
import type { Crypto, HashName, Random } from '@tessera/contracts';
import { readUtf8, toHex, utf8, fromBase64, toBase64 } from '@tessera/mql/engine';
import { prepared } from './prepared.js';

export type Mechanism = 'SCRAM-SHA-1' | 'SCRAM-SHA-256';

/**
 * The parameters of each mechanism, with mongod's default iterations: `scramIterationCount`,
 * `scramSHA256IterationCount`.
 */
const kinds: Readonly<
  Record<Mechanism, { readonly hash: HashName; readonly size: number; readonly iterations: number }>
> = {
  'SCRAM-SHA-1': { hash: 'sha1', size: 20, iterations: 10_000 },
  'SCRAM-SHA-256': { hash: 'sha256', size: 32, iterations: 15_000 },
};

export const mechanisms = Object.keys(kinds) as readonly Mechanism[];

export const isMechanism = (name: string): name is Mechanism => Object.hasOwn(kinds, name);

/** The keys that the server stores in place of a password. */
export interface ScramCredential {
  readonly salt: Uint8Array;
  readonly iterations: number;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
}

export interface ScramDeps {
  readonly crypto: Crypto;
  readonly random: Random;
}

/** Derives the keys of a password. @throws CommandError 2 for a password that SASLprep forbids */
export const makeCredential = async (
  { crypto, random }: ScramDeps,
  mechanism: Mechanism,
  { user, digest }: { readonly user: string; readonly digest: boolean },
  password: string,
): Promise<ScramCredential> => {
  const { hash, size, iterations } = kinds[mechanism];
  const digested = (): string => (digest ? toHex(crypto.hash('md5', utf8(`${user}:mongo:${password}`))) : password);
  const secret = mechanism === 'SCRAM-SHA-1' ? digested() : await prepared(password);
  const salt = random.bytes(size - 4);
  const salted = await crypto.pbkdf2(hash, utf8(secret), salt, iterations, size);
  return {
    salt,
    iterations,
    storedKey: crypto.hash(hash, crypto.hmac(hash, salted, utf8('Client Key'))),
    serverKey: crypto.hmac(hash, salted, utf8('Server Key')),
  };
};

/** The mechanism whose keys verify a password for PLAIN. */
export const plainKeys: Mechanism = 'SCRAM-SHA-256';

/** Whether the keys were derived from this password. @throws CommandError 2 */
export const fits = async (
  { crypto }: ScramDeps,
  { salt, iterations, storedKey }: ScramCredential,
  password: string,
): Promise<boolean> => {
  const { hash, size } = kinds[plainKeys];
  const salted = await crypto.pbkdf2(hash, utf8(await prepared(password)), salt, iterations, size);
  return isSame(crypto.hash(hash, crypto.hmac(hash, salted, utf8('Client Key'))), storedKey);
};

/**
 * Returns keys for an unknown user, so that the conversation looks like that of an existing user: the salt is always
 * the same, and no password matches.
 */
export const impostor = (
  { crypto, random }: ScramDeps,
  mechanism: Mechanism,
  user: string,
  secret: Uint8Array,
): ScramCredential => {
  const { hash, size, iterations } = kinds[mechanism];
  return {
    salt: crypto.hmac(hash, secret, utf8(user)).slice(0, size - 4),
    iterations,
    storedKey: random.bytes(size),
    serverKey: random.bytes(size),
  };
};

/** The client's first message. */
export interface ClientFirst {
  readonly user: string;
  readonly nonce: string;
  readonly bare: string;
}

const text = (bytes: Uint8Array): string => readUtf8(bytes, 0, bytes.length);

/**
 * Parses the client's first message, without channel binding and authorization identity. Returns undefined if it is
 * malformed.
 */
export const readClientFirst = (payload: Uint8Array): ClientFirst | undefined => {
  const [, bare, name, nonce] = /^[ny],,(n=([^,]*),r=([\x21-\x2b\x2d-\x7e]+))$/.exec(text(payload)) ?? [];
  if (bare === undefined || name === undefined || nonce === undefined) return undefined;
  if (/=(?!2C|3D)/.test(name)) return undefined;
  return { user: name.replaceAll('=2C', ',').replaceAll('=3D', '='), nonce, bare };
};

const xor = (a: Uint8Array, b: Uint8Array): Uint8Array => a.map((byte, i) => byte ^ b[i]!);

const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.reduce((difference, byte, i) => difference | (byte ^ b[i]!), 0) === 0;

/** The conversation in which one client proves its password. */
export class ScramExchange {
  readonly #crypto: Crypto;
  readonly #hash: HashName;
  readonly #credential: ScramCredential;
  readonly #nonce: string;
  readonly #said: string;
  readonly first: Uint8Array;

  constructor({ crypto, random }: ScramDeps, mechanism: Mechanism, client: ClientFirst, credential: ScramCredential) {
    this.#crypto = crypto;
    this.#hash = kinds[mechanism].hash;
    this.#credential = credential;
    this.#nonce = client.nonce + toBase64(random.bytes(24));
    const first = `r=${this.#nonce},s=${toBase64(credential.salt)},i=${credential.iterations}`;
    this.#said = `${client.bare},${first}`;
    this.first = utf8(first);
  }

  /** Returns the server's signature, or undefined if the client's proof is wrong. */
  answer(payload: Uint8Array): Uint8Array | undefined {
    const [, withoutProof, channel, nonce, proofText] = /^(c=([^,]*),r=([^,]*)),p=([^,]*)$/.exec(text(payload)) ?? [];
    const proof = fromBase64(proofText ?? '');
    if (withoutProof === undefined || proof === undefined || nonce !== this.#nonce) return undefined;
    if (channel !== 'biws' && channel !== 'eSws') return undefined;
    const signed = utf8(`${this.#said},${withoutProof}`);
    const { storedKey, serverKey } = this.#credential;
    const signature = this.#crypto.hmac(this.#hash, storedKey, signed);
    if (proof.length !== signature.length) return undefined;
    if (!isSame(this.#crypto.hash(this.#hash, xor(proof, signature)), storedKey)) return undefined;
    return utf8(`v=${toBase64(this.#crypto.hmac(this.#hash, serverKey, signed))}`);
  }
}

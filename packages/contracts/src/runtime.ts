/**
 * Everything that the driver needs from outside: time, randomness, name resolution, sockets. A Runtime holds all of it, for the
 * real host or for a simulation.
 */
import type { Clock, Millis } from './clock.js';
import type { Compressor } from './compressor.js';
import type { Host } from './host.js';
import type { Platform } from './platform.js';
import type { Streams } from './streams.js';
import type { Listener, Transport } from './transport.js';
import type { Raw } from './values.js';

/** The only source of random numbers in the driver. */
export interface Random {
  /** Returns a uniform number in [0, 1). Not for secrets; it serves for jitter and the choice between servers. */
  unit(): number;
  /** Returns this many bytes from a cryptographically secure generator, for nonces and session ids. */
  bytes(length: number): Uint8Array;
  /**
   * Registers a callback that is called in each process that starts as a copy of this one, such as from a V8 startup snapshot.
   * The callback must replace random values that were drawn before the copy. Absent if processes cannot be copied.
   */
  onCopied?(renew: () => void): void;
}

export type HashName = 'md5' | 'sha1' | 'sha256';

/** The cryptographic functions that authentication needs. */
export interface Crypto {
  hash(name: HashName, data: Raw): Raw;
  hmac(name: HashName, key: Raw, data: Raw): Raw;
  /** Derives `length` bytes from a password, with PBKDF2 over HMAC. Runs outside of the event loop where the host can do so. */
  pbkdf2(name: HashName, password: Raw, salt: Raw, iterations: number, length: number): Promise<Raw>;
}

/** One SRV record. */
export interface SrvRecord {
  readonly host: string;
  readonly port: number;
  /** The record's TTL in milliseconds. Undefined if the host's resolver does not return it, as on Node.js. */
  readonly timeToLive?: Millis | undefined;
}

/** Queries DNS for `mongodb+srv://` connection strings. Both methods reject if the query fails. */
export interface Resolver {
  srv(name: string): Promise<readonly SrvRecord[]>;
  /** Returns one entry per TXT record. A record is a list of strings. */
  txt(name: string): Promise<readonly (readonly string[])[]>;
}

/** The services of one host. `@tessera/node` implements it for Node.js, `@tessera/sim` for simulations. */
export interface Runtime {
  readonly clock: Clock;
  readonly random: Random;
  readonly crypto: Crypto;
  readonly resolver: Resolver;
  readonly transport: Transport;
  readonly listener: Listener;
  readonly streams: Streams;
  readonly platform: Platform;
  readonly host: Host;
  /** The compression algorithms that the host provides. */
  readonly compressors: readonly Compressor[];
}

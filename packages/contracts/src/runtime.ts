/**
 * The services of the host that the driver uses: time, randomness, name resolution, sockets. A Runtime contains all of them, of a
 * real host or of a simulation.
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
  /** Returns a uniform random number in [0, 1), for jitter and for the choice between servers. Do not use it for secrets. */
  unit(): number;
  /** Returns this many bytes from a cryptographically secure generator, for nonces and session ids. */
  bytes(length: number): Uint8Array;
  /**
   * Registers a callback that replaces random values which were generated earlier. The host calls it in each process that starts
   * from a copy of this process, such as a V8 startup snapshot. Absent if the host cannot copy processes.
   */
  onCopied?(renew: () => void): void;
}

/** The name of a hash function. */
export type HashName = 'md5' | 'sha1' | 'sha256';

/** The cryptographic functions that authentication needs. */
export interface Crypto {
  /** Returns the digest of the data. */
  hash(name: HashName, data: Raw): Raw;
  /** Returns the keyed digest (HMAC) of the data. */
  hmac(name: HashName, key: Raw, data: Raw): Raw;
  /** Derives `length` bytes from a password, with PBKDF2 over HMAC. Does not block the event loop, if the host supports that. */
  pbkdf2(name: HashName, password: Raw, salt: Raw, iterations: number, length: number): Promise<Raw>;
}

/** One SRV record. */
export interface SrvRecord {
  /** The host name of the target. */
  readonly host: string;
  /** The port of the target. */
  readonly port: number;
  /** The record's TTL in milliseconds. Undefined if the host's resolver does not return it, as on Node.js. */
  readonly timeToLive?: Millis | undefined;
}

/**
 * Queries DNS for `mongodb+srv://` connection strings. If the query fails, both methods reject with a MongoError `network` whose
 * `origin.phase` is `resolve`. A name without SRV records is a failure; a name without TXT records is not.
 */
export interface Resolver {
  /** Returns the SRV records with this full name, such as `_mongodb._tcp.example.com`. */
  srv(name: string): Promise<readonly SrvRecord[]>;
  /** Returns one entry per TXT record; an empty list if there is none. A record is a list of strings. */
  txt(name: string): Promise<readonly (readonly string[])[]>;
}

/** The services of one host. `@tessera/node` implements it for Node.js, `@tessera/sim` for simulations. */
export interface Runtime {
  /** Time and timers. */
  readonly clock: Clock;
  /** Random numbers and bytes. */
  readonly random: Random;
  /** Hash functions. */
  readonly crypto: Crypto;
  /** Resolves SRV and TXT records. */
  readonly resolver: Resolver;
  /** Opens sockets. */
  readonly transport: Transport;
  /** Accepts connections, for servers. */
  readonly listener: Listener;
  /** Creates the host's streams, such as those of GridFS. */
  readonly streams: Streams;
  /** The names and versions of the runtime and operating system. */
  readonly platform: Platform;
  /** Environment variables and files. */
  readonly host: Host;
  /** The compression algorithms that the host provides. */
  readonly compressors: readonly Compressor[];
}

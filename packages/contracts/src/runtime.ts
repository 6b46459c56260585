/** Every source of nondeterminism is injected: time, chance, names, sockets. One Runtime is one world, real or simulated. */
import type { Clock, Millis } from './clock.js';
import type { Compressor } from './compressor.js';
import type { Host } from './host.js';
import type { Platform } from './platform.js';
import type { Streams } from './streams.js';
import type { Listener, Transport } from './transport.js';
import type { Raw } from './values.js';

export interface Random {
  /** Uniform in [0, 1). Good enough for jitter, not for secrets. */
  unit(): number;
  /** Fit for nonces and session ids. */
  bytes(length: number): Uint8Array;
  /**
   * Calls back in every process that starts as a copy of this one (a startup snapshot): what was drawn before is no
   * longer its own. Left out where no process can be copied.
   */
  onCopied?(renew: () => void): void;
}

export type HashName = 'md5' | 'sha1' | 'sha256';

export interface Crypto {
  hash(name: HashName, data: Raw): Raw;
  hmac(name: HashName, key: Raw, data: Raw): Raw;
  /** Runs on a thread pool where there is one; a thread pool is a scheduler too. */
  pbkdf2(name: HashName, password: Raw, salt: Raw, iterations: number, length: number): Promise<Raw>;
}

export interface SrvRecord {
  readonly host: string;
  readonly port: number;
  /** How long it holds good, where the host's resolver tells it; that of Node.js does not. */
  readonly timeToLive?: Millis | undefined;
}

export interface Resolver {
  srv(name: string): Promise<readonly SrvRecord[]>;
  /** One entry per record; a record is a list of strings. */
  txt(name: string): Promise<readonly (readonly string[])[]>;
}

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
  readonly compressors: readonly Compressor[];
}

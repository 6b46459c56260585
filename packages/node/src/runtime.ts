import type { Runtime } from '@tessera/contracts';
import { hostClock } from './clock.js';
import { hostCrypto, hostRandom } from './crypto.js';
import { createListener } from './listener.js';
import type { ListenTls } from './listener.js';
import { hostLookups } from './lookups.js';
import { createHost, createPlatform } from './platform.js';
import { createResolver } from './resolver.js';
import { hostStreams } from './streams.js';
import { createTransport } from './transport.js';
import type { TcpOptions } from './transport.js';
import { createZlib, zlibDefaults } from './zlib.js';
import { hostZstd } from './zstd.js';

export interface NodeOptions extends TcpOptions {
  /** Name servers for SRV and TXT records, `ip` or `ip:port`; empty for the system's. */
  readonly nameServers: readonly string[];
  /** How those who connect to us are to encrypt; they need not if absent. */
  readonly listenTls?: ListenTls | undefined;
  /** Compression level of zlib, from -1 to 9. */
  readonly zlibCompressionLevel: number;
}

export const defaults: NodeOptions = {
  noDelay: true,
  keepAliveInitialDelay: 120_000,
  family: 0,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 250,
  lookup: hostLookups.lookup,
  nameServers: [],
  zlibCompressionLevel: zlibDefaults.level,
};

/**
 * The real world as Node.js shows it (also Bun and Deno, which speak `node:`).
 * @throws MongoError `usage` for a compression level that zlib does not know.
 */
export const createNode = (options: Partial<NodeOptions> = {}): Runtime => {
  const settings = { ...defaults, ...options };
  const zstd = hostZstd();
  return {
    clock: hostClock,
    random: hostRandom,
    crypto: hostCrypto,
    resolver: createResolver(settings.nameServers),
    transport: createTransport(hostClock, settings),
    listener: createListener(settings.listenTls),
    streams: hostStreams,
    platform: createPlatform(),
    host: createHost(),
    compressors: [
      createZlib({ level: settings.zlibCompressionLevel }),
      // From Node.js 22.15 on.
      ...(zstd === undefined ? [] : [zstd]),
    ],
  };
};

import type { Runtime } from '@tessera/contracts';
import { hostClock } from './clock.js';
import { hostCrypto, hostRandom } from './crypto.js';
import type { ListenTls } from './listener.js';
import { createHost, createPlatform } from './platform.js';
import { createResolver } from './resolver.js';
import { hostStreams } from './streams.js';
import { createTransport, type TcpOptions } from './transport.js';
import { createZlib, zlibDefaults } from './zlib.js';
import { hostZstd } from './zstd.js';

export interface NodeOptions extends TcpOptions {
  /** The name servers for SRV and TXT records, as `ip` or `ip:port`. If empty, those of the system are used. */
  readonly nameServers: readonly string[];
  /** TLS for incoming connections. Without it, connections are not encrypted. */
  readonly listenTls?: ListenTls | undefined;
  /** The compression level of zlib, from -1 to 9. */
  readonly zlibCompressionLevel: number;
}

export const defaults: NodeOptions = {
  noDelay: true,
  keepAliveInitialDelay: 120_000,
  family: 0,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 250,
  nameServers: [],
  zlibCompressionLevel: zlibDefaults.level,
};

/**
 * Creates the runtime for Node.js, and also for Bun and Deno, which provide the `node:` modules.
 * @throws MongoError `usage` for an invalid zlib compression level.
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
    // Clients do not listen, so its code is loaded on demand.
    listener: {
      listen: async (...given) => {
        const { createListener } = await import('./listener.js');
        return createListener(settings.listenTls).listen(...given);
      },
    },
    streams: hostStreams,
    platform: createPlatform(),
    host: createHost(),
    compressors: [
      createZlib({ level: settings.zlibCompressionLevel }),
      // Available in Node.js 22.15 and later.
      ...(zstd === undefined ? [] : [zstd]),
    ],
  };
};

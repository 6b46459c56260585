import { createAws, createOidc } from '@tessera/auth';
import { MongoClient as AnyMongoClient } from '@tessera/client';
import type { MongoClientOptions as AnyMongoClientOptions, Parts, Settings } from '@tessera/client';
import type { Runtime } from '@tessera/contracts';
import { createLog } from '@tessera/log';
import { createNode } from '@tessera/node';

export interface MongoClientOptions extends AnyMongoClientOptions {
  /** Another world than Node.js's own: a transport, a clock, a simulation. */
  readonly runtime?: Runtime | undefined;
  /** Parts of the driver to replace: codec, pool, topology, retry policy, layers. */
  readonly parts?: Partial<Parts> | undefined;
}

const tcpOptions = [
  ...['noDelay', 'keepAliveInitialDelay', 'family', 'autoSelectFamily', 'autoSelectFamilyAttemptTimeout'],
  ...['localAddress', 'localPort', 'hints', 'lookup'],
];

const nodeFor = (settings: Settings): Runtime => {
  const options = settings as unknown as Readonly<Record<string, unknown>>;
  const given = ['zlibCompressionLevel', ...tcpOptions].filter(name => options[name] !== undefined);
  return createNode(Object.fromEntries(given.map(name => [name, options[name]])));
};

/** Beside the small mechanisms of the client those that bring more along, and the log. */
const withAll = (parts: Partial<Parts> = {}): Partial<Parts> => ({
  log: createLog,
  ...parts,
  authenticators: { 'MONGODB-AWS': createAws, 'MONGODB-OIDC': createOidc, ...parts.authenticators },
});

/** A deployment of MongoDB, as the official driver's class of the same name, on Node.js. */
export class MongoClient extends AnyMongoClient {
  constructor(url: string, { runtime, parts, ...options }: MongoClientOptions = {}) {
    super(url, options, { runtime: runtime ?? nodeFor, parts: withAll(parts) });
  }

  /** A client that has reached a server. */
  static connect(url: string, options?: MongoClientOptions): Promise<MongoClient> {
    return new MongoClient(url, options).connect();
  }
}

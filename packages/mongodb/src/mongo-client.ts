import { externalMechanisms } from '@tessera/auth';
import { MongoClient as AnyMongoClient } from '@tessera/client';
import type { MongoClientOptions as AnyMongoClientOptions, Parts, Settings } from '@tessera/client';
import type { Runtime } from '@tessera/contracts';
import { createLogOnDemand } from '@tessera/log';
import { createNode } from '@tessera/node';
import { agentParts } from './agents.js';
import type { SupportedNodeConnectionOptions } from './node-types.js';

/** Options of a client. Most can also be set in the connection string; a value given here takes precedence. */
export interface MongoClientOptions
  extends Omit<AnyMongoClientOptions, keyof SupportedNodeConnectionOptions>, SupportedNodeConnectionOptions {
  /**
   * The clock, transport, DNS and random numbers that the client uses, for example a simulation. Default: those of
   * Node.js.
   */
  readonly runtime?: Runtime | undefined;
  /** Replacements for parts of the driver: codec, pool, topology, retry policy, layers. Default: the built-in parts. */
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

/**
 * Adds the log and the MONGODB-AWS and MONGODB-OIDC authenticators to the client's built-in parts. The given parts take
 * precedence. If the process has a tracing agent, also adds the parts that report commands to the agent.
 */
const withAll = (given: Partial<Parts> = {}): Partial<Parts> => {
  const parts = {
    log: createLogOnDemand,
    ...given,
    authenticators: { ...externalMechanisms, ...given.authenticators },
  };
  const agent = agentParts();
  if (agent === undefined) return parts;
  return { ...parts, log: agent.log(parts.log), outerLayers: [agent.layer, ...(parts.outerLayers ?? [])] };
};

/** A client of a MongoDB deployment on Node.js, with the members of the official driver's `MongoClient`. */
export class MongoClient extends AnyMongoClient {
  /**
   * Reads the connection string and validates the options. Opens no connection.
   * @throws MongoParseError for an invalid connection string or option
   * @example const client = new MongoClient('mongodb://localhost:27017', { maxPoolSize: 20 });
   */
  constructor(url: string, { runtime, parts, ...options }: MongoClientOptions = {}) {
    super(url, options as AnyMongoClientOptions, { runtime: runtime ?? nodeFor, parts: withAll(parts) });
  }

  /**
   * Creates a client and connects it to the deployment.
   * @throws MongoServerSelectionError if no server is available within `serverSelectionTimeoutMS`
   * @throws MongoServerError if authentication fails, for example because the password is wrong
   * @example const client = await MongoClient.connect('mongodb://localhost:27017');
   */
  static connect(url: string, options?: MongoClientOptions): Promise<MongoClient> {
    return new MongoClient(url, options).connect();
  }
}

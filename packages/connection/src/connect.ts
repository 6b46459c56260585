import { limitWait, MongoError, noLimit } from '@tessera/contracts';
import type { Connect, ConnectDeps, ConnectionOptions, Document, Origin } from '@tessera/contracts';
import { beforeHello } from './agreement.js';
import { checkAppName, checkDriverInfo, clientMetadata } from './client-metadata.js';
import { CommandEvents } from './command-events.js';
import { Deadlines } from './deadlines.js';
import { createHandshake } from './handshake.js';
import { FirstBytes } from './peer.js';
import { Declaration } from './server-api.js';
import { SocketConnection } from './socket-connection.js';
import type { Surroundings } from './socket-connection.js';
import { proxySettings, tlsSettings } from './transport-settings.js';
import { version } from './version.js';

export const defaults: ConnectionOptions = {
  driver: { name: 'tessera', version },
  driverInfo: [],
  compressors: [],
  loadBalanced: false,
  socketTimeoutMS: 0,
  drainLimit: 1000,
};

/**
 * Returns a function that opens connections: it opens a socket, sends hello, negotiates a compressor and authenticates.
 * Rule: MongoDB Handshake; OP_COMPRESSED; Authentication; Command Logging and Monitoring.
 * @throws MongoError `usage` for an `appName` or `driverInfo` that servers would reject
 */
export const createConnect = (deps: ConnectDeps, given: Partial<ConnectionOptions> = {}): Connect => {
  const { clock, transport, wire, bson, platform, host, authenticator } = deps;
  const options = { ...defaults, ...given };
  if (options.appName !== undefined) checkAppName(options.appName);
  options.driverInfo.forEach(checkDriverInfo);
  // Secrets are non-enumerable, so the copy `options` lacks them: read the transport settings from `given`.
  const serverApi = typeof options.serverApi === 'string' ? { version: options.serverApi } : options.serverApi;
  const [tls, proxy] = [tlsSettings(given), proxySettings(given)];

  let lastRequestId = 0;
  const around: Surroundings = {
    clock,
    wire,
    deadlines: new Deadlines(clock),
    declaration: serverApi === undefined ? undefined : new Declaration({ bson }, serverApi),
    drainLimit: options.drainLimit,
    answerLimit: options.socketTimeoutMS === 0 ? Infinity : options.socketTimeoutMS,
    nextRequestId: () => (lastRequestId = lastRequestId === 0x7fffffff ? 1 : lastRequestId + 1),
  };
  // Commands of monitors have deadlines of their own, or intentionally none. Rule: Server Monitoring, "Socket timeout".
  const aroundMonitors: Surroundings = { ...around, answerLimit: Infinity };
  const offered = options.compressors.flatMap(name => deps.compressors.find(c => c.name === name) ?? []);

  // New connections also send entries that are appended to driverInfo later.
  let metadata: { readonly infos: number; readonly document: Document } | undefined;
  const client = (): Document => {
    const infos = options.driverInfo.length;
    if (metadata?.infos !== infos) metadata = { infos, document: clientMetadata(bson, platform, host, options) };
    return metadata.document;
  };

  const shakeHands = createHandshake(
    { clock, events: new CommandEvents(deps), authenticator },
    { client, offered, serverApi, loadBalanced: options.loadBalanced, isSecured: tls !== undefined },
  );

  return async (to, how) => {
    const { signal, use, id, deadline } = how;
    const socket = await transport.connect(to, { deadline, signal, tls, proxy });
    const first = new FirstBytes();
    const surroundings = use === 'monitor' ? aroundMonitors : around;
    const connection = new SocketConnection(surroundings, socket, to, id, beforeHello(first));
    const aborted = (): MongoError => {
      const origin: Origin = { phase: 'hello', sent: true, address: to };
      return new MongoError('aborted', `Connecting to ${to} was aborted.`, { cause: signal?.reason, origin });
    };
    const leave = limitWait({ clock, deadline: noLimit, signal }, () => connection.close(aborted()));
    try {
      if (signal?.aborted === true) throw aborted();
      await shakeHands(connection, first, how);
      return connection;
    } catch (error) {
      connection.close(error as MongoError);
      throw error;
    } finally {
      leave();
    }
  };
};

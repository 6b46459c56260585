import type { Address, Compressor, Listening, Runtime } from '@tessera/contracts';
import { createNode, hostFiles } from '@tessera/node';
import type { ListenTls } from '@tessera/node';
import type { BlackPipe, BlackPipeOptions, DataOptions, OptionTypes, Server, ServerOptions } from '@tessera/server';
import { checkOptions, createBlackPipe, createServer, serverOptionTypes } from '@tessera/server';

/** Options for the network and disk of this machine, for servers and clusters. */
export interface HostOptions extends Partial<ListenTls> {
  /** The port to listen on. Default: 0, a free port. */
  readonly port?: number;
  /**
   * The address to listen on. Default: `127.0.0.1`. Without `users` the server does not require authentication, so an
   * address that other machines can reach gives them full access.
   */
  readonly bindIp?: string;
  /**
   * The folder that keeps the data. It is created if it does not exist, and only one process at a time can use it.
   * Writes with `j: true` or write concern majority survive a crash. Default: the data is in memory only.
   */
  readonly data?: string;
  /** Called with a message when the server repaired the file in that folder. Default: repairs are not reported. */
  readonly report?: (sentence: string) => void;
  /** Compressors beside zlib: `createSnappy()` of @tessera/snappy, `createZstd()` of @tessera/zstd. */
  readonly compressors?: readonly Compressor[];
}

/** Options of {@link startServer}. */
export interface StartOptions extends Omit<ServerOptions, 'data'>, HostOptions {}

/** The types of the options in {@link HostOptions}. */
export const hostOptionTypes: OptionTypes<HostOptions> = {
  port: ['number'],
  bindIp: ['string'],
  data: ['string'],
  report: ['function'],
  compressors: ['list'],
  tlsCertificateKeyFile: ['string'],
  tlsCertificateKeyFilePassword: ['string'],
  tlsCAFile: ['string'],
  tlsAllowConnectionsWithoutCertificates: ['boolean'],
};

export const hostDefaults: Required<Pick<HostOptions, 'port' | 'bindIp' | 'compressors'>> = {
  port: 0,
  bindIp: '127.0.0.1',
  compressors: [],
};

/** A server that listens on a port of this machine. */
export interface RunningServer extends AsyncDisposable {
  /**
   * The connection string for any driver, such as `mongodb://127.0.0.1:54321/`. It contains `replicaSet` and `tls=true`
   * where needed. With TLS, set the driver's own option for the certificate authority, such as `tlsCAFile`.
   */
  readonly uri: string;
  /** Host and port, such as `127.0.0.1:54321`. */
  readonly address: Address;
  /** Intercepts one request: see `Server.intercept` of @tessera/server. */
  readonly intercept: Server['intercept'];
  /**
   * Closes the server and its connections. Without a `data` folder the data is lost.
   * @throws ScriptError if an intercepted request was not answered
   */
  close(): Promise<void>;
}

interface Split<T> {
  readonly port: number;
  readonly bindIp: string;
  readonly listenTls: ListenTls | undefined;
  readonly runtime: Runtime;
  readonly others: Omit<T, keyof HostOptions> & { readonly data?: DataOptions };
}

/**
 * Separates the options for this machine from those of the server or cluster. `listenTls` is undefined without TLS.
 * @throws RangeError if the certificate of the server is missing
 */
export const splitOptions = <T extends HostOptions>(options: T): Split<T> => {
  const {
    port,
    bindIp,
    compressors,
    data: folder,
    report,
    tlsCertificateKeyFile,
    tlsCertificateKeyFilePassword,
    tlsCAFile,
    tlsAllowConnectionsWithoutCertificates,
    ...others
  } = { ...hostDefaults, ...options };
  const tls = { tlsCertificateKeyFilePassword, tlsCAFile, tlsAllowConnectionsWithoutCertificates };
  if (tlsCertificateKeyFile === undefined && Object.values(tls).some(value => value !== undefined))
    throw new RangeError('The server needs a certificate for TLS. Set "tlsCertificateKeyFile" to its PEM file.');
  const listenTls: ListenTls | undefined =
    tlsCertificateKeyFile === undefined ? undefined : { tlsCertificateKeyFile, ...tls };
  const node = createNode({ listenTls });
  const data = folder === undefined ? {} : { data: dataOf(folder, report) };
  const runtime = { ...node, compressors: [...node.compressors, ...compressors] };
  return { port, bindIp, listenTls, runtime, others: { ...others, ...data } };
};

export const addressOf = (bindIp: string, port: number): Address =>
  bindIp.includes(':') ? `[${bindIp}]:${port}` : `${bindIp}:${port}`;

const queryOf = ({ replicaSet }: StartOptions, tls: ListenTls | undefined): string => {
  const pairs = [
    ...(replicaSet === undefined ? [] : [`replicaSet=${encodeURIComponent(replicaSet)}`]),
    ...(tls === undefined ? [] : ['tls=true']),
  ];
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

/** Replaces the wildcard address by the loopback address, so that a client on this machine can connect. */
export const reachable = (address: Address): Address =>
  address.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');

const dataOf = (folder: string, report: StartOptions['report']): DataOptions =>
  report === undefined ? { files: hostFiles, folder } : { files: hostFiles, folder, report };

/** Listens, and closes the server if that fails, so that its folder can be used again. */
const listening = async (server: Server, at: Address): Promise<Listening> => {
  try {
    return await server.listen(at);
  } catch (error) {
    await server.close();
    throw error;
  }
};

/**
 * Starts a server in this process, and resolves when it accepts connections.
 * `await using server = await startServer()` closes it at the end of the block.
 * @throws MongoError `network` if the port is in use, `usage` if a TLS file is invalid
 * @throws RangeError for an unsupported `version`, and for TLS options without a certificate
 * @throws TypeError for an unknown option, and for a value of another type
 * @throws Error if another process uses the `data` folder, or if its file is damaged
 */
export const startServer = async (options: StartOptions = {}): Promise<RunningServer> => {
  const given = checkOptions('startServer', options, { ...serverOptionTypes, ...hostOptionTypes });
  const { port, bindIp, listenTls, runtime, others } = splitOptions(given);
  const server = createServer(runtime, others);
  const { address } = await listening(server, addressOf(bindIp, port));
  const close = (): Promise<void> => server.close();
  return {
    uri: `mongodb://${reachable(address)}/${queryOf(options, listenTls)}`,
    address,
    intercept: (command, subset, interceptOptions) => server.intercept(command, subset, interceptOptions),
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** A scripted server that listens on a port of this machine. */
export interface RunningBlackPipe extends Omit<BlackPipe, 'listen' | 'accept'> {
  /** The connection string for any driver, such as `mongodb://127.0.0.1:54321/`. */
  readonly uri: string;
  /** Host and port, such as `127.0.0.1:54321`. */
  readonly address: Address;
}

/**
 * Starts a scripted server in this process, on a free port: it only sends the replies of your test. See `createBlackPipe`
 * of @tessera/server. `await using pipe = await startBlackPipe()` closes it at the end of the block, and throws if
 * requests were not answered or expected requests did not come.
 */
export const startBlackPipe = async (options: BlackPipeOptions = {}): Promise<RunningBlackPipe> => {
  const pipe = createBlackPipe(createNode(), options);
  const { address } = await pipe.listen('127.0.0.1:0');
  return { ...pipe, uri: `mongodb://${address}/`, address };
};

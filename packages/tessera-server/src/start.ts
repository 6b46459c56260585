import type { Address, Compressor, Listening } from '@tessera/contracts';
import { createNode, hostFiles } from '@tessera/node';
import type { ListenTls } from '@tessera/node';
import type { BlackPipe, BlackPipeOptions, DataOptions, Server, ServerOptions } from '@tessera/server';
import { createBlackPipe, createServer } from '@tessera/server';

/** What this host adds to a server. */
export interface HostOptions extends Partial<ListenTls> {
  /** 0 asks for a free one. */
  readonly port?: number;
  /** The address to listen on. Without `users` nobody is asked for a password: other than this machine's own addresses open the server to all. */
  readonly bindIp?: string;
  /**
   * The folder to keep the data in; it is made if it is not there, and one process at a time has it. What was written with
   * `j: true`, or by a majority, is there at the next start, whatever happens. Default: in memory alone.
   */
  readonly data?: string;
  /** Is told, in a sentence, what was found odd in that folder and put right. Default: nobody is. */
  readonly report?: (sentence: string) => void;
  /** Spoken beside zlib: `createSnappy()` of @tessera/snappy, `createZstd()` of @tessera/zstd. */
  readonly compressors?: readonly Compressor[];
}

export interface StartOptions extends Omit<ServerOptions, 'data'>, HostOptions {}

export const hostDefaults: Required<Pick<HostOptions, 'port' | 'bindIp' | 'compressors'>> = {
  port: 0,
  bindIp: '127.0.0.1',
  compressors: [],
};

export interface RunningServer extends AsyncDisposable {
  /**
   * `mongodb://127.0.0.1:54321/`: hand it to any driver. It ends in `?replicaSet=rs0` if it is one, with TLS in `?tls=true`;
   * whom to trust, the driver must be told.
   */
  readonly uri: string;
  /** `127.0.0.1:54321` */
  readonly address: Address;
  /** Takes one request out of the server's hands: see `Server.intercept` of @tessera/server. */
  readonly intercept: Server['intercept'];
  /** Closes every connection; the data is gone, unless it is kept in a folder. @throws ScriptError if a request that was intercepted was not answered */
  close(): Promise<void>;
}

/** @throws RangeError for TLS options without the certificate that TLS needs. */
export const listenTlsOf = (options: HostOptions): ListenTls | undefined => {
  const { tlsCertificateKeyFile, tlsCertificateKeyFilePassword, tlsCAFile } = options;
  const { tlsAllowConnectionsWithoutCertificates } = options;
  const others = { tlsCertificateKeyFilePassword, tlsCAFile, tlsAllowConnectionsWithoutCertificates };
  if (tlsCertificateKeyFile !== undefined) return { tlsCertificateKeyFile, ...others };
  if (Object.values(others).every(value => value === undefined)) return undefined;
  throw new RangeError('The server needs a certificate for TLS: give its PEM file as tlsCertificateKeyFile.');
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

/** Where a client of this machine finds a server that listens everywhere. */
export const reachable = (address: Address): Address =>
  address.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');

export const dataOf = (folder: string, report: StartOptions['report']): DataOptions =>
  report === undefined ? { files: hostFiles, folder } : { files: hostFiles, folder, report };

/** A server that cannot listen lets others have its folder. */
const listening = async (server: Server, at: Address): Promise<Listening> => {
  try {
    return await server.listen(at);
  } catch (error) {
    await server.close();
    throw error;
  }
};

/**
 * Starts a server in this process, on a free port unless one is asked for; ready when the promise resolves.
 * `await using server = await startServer()` closes it at the end of the block.
 * @throws MongoError `network` if the port is taken, `usage` for TLS files that
 * cannot be used, RangeError for a version that it cannot stand in for and for TLS without a certificate,
 * Error for a folder that another process has or that holds what cannot be read: its sentence says what to do
 */
export const startServer = async (options: StartOptions = {}): Promise<RunningServer> => {
  const { port, bindIp, compressors, data: folder, report, ...serverOptions } = { ...hostDefaults, ...options };
  const listenTls = listenTlsOf(options);
  const node = createNode({ listenTls });
  const server = createServer(
    { ...node, compressors: [...node.compressors, ...compressors] },
    folder === undefined ? serverOptions : { ...serverOptions, data: dataOf(folder, report) },
  );
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

export interface RunningBlackPipe extends Omit<BlackPipe, 'listen' | 'accept'> {
  /** `mongodb://127.0.0.1:54321/` */
  readonly uri: string;
  readonly address: Address;
}

/**
 * A server of this process, on a free port of this machine, that does nothing but what a test says: see `createBlackPipe` of
 * @tessera/server. `await using pipe = await startBlackPipe()` closes it at the end of the block, and fails the test if its
 * script was not played out.
 */
export const startBlackPipe = async (options: BlackPipeOptions = {}): Promise<RunningBlackPipe> => {
  const pipe = createBlackPipe(createNode(), options);
  const { address } = await pipe.listen('127.0.0.1:0');
  return { ...pipe, uri: `mongodb://${address}/`, address };
};

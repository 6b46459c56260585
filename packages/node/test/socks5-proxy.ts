/** A SOCKS5 proxy for tests, which records requests and can redirect destinations. Rule: RFC 1928, RFC 1929. */
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface ProxyWish {
  /** The required credentials. Without them, authentication is not required. */
  readonly auth?: { readonly username: string; readonly password: string };
  /** The actual address of a destination `host:port`. */
  readonly map?: Readonly<Record<string, string>>;
}

export interface TestProxy {
  readonly port: number;
  /**
   * The offered methods and requested destinations in order: `methods 0,2`, `name db1:27017`, `ipv4 127.0.0.1:27017`.
   */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Returns a function that reads byte strings of given lengths. */
const reader = (socket: Socket): ((length: number) => Promise<Buffer>) => {
  let buffer = Buffer.alloc(0);
  let wake = (): void => undefined;
  const hear = (chunk: Buffer): void => {
    buffer = Buffer.concat([buffer, chunk]);
    wake();
  };
  socket.on('data', hear);
  return async length => {
    while (buffer.length < length) await new Promise<void>(resolve => (wake = resolve));
    const bytes = buffer.subarray(0, length);
    buffer = buffer.subarray(length);
    return bytes;
  };
};

const types: Readonly<Record<number, string>> = { 1: 'ipv4', 3: 'name', 4: 'ipv6' };

export const createProxy = async ({ auth, map = {} }: ProxyWish = {}): Promise<TestProxy> => {
  const asked: string[] = [];
  const sockets = new Set<Socket>();

  const attend = async (client: Socket): Promise<void> => {
    const take = reader(client);
    const short = async (): Promise<Buffer> => take((await take(1))[0]!);
    await take(1);
    const methods = await short();
    asked.push(`methods ${[...methods].join(',')}`);
    const method = auth === undefined ? 0 : 2;
    if (!methods.includes(method)) return void client.end(Uint8Array.of(5, 255));
    client.write(Uint8Array.of(5, method));
    if (auth !== undefined) {
      await take(1);
      const [username, password] = [(await short()).toString(), (await short()).toString()];
      const isRight = username === auth.username && password === auth.password;
      client.write(Uint8Array.of(1, isRight ? 0 : 1));
      if (!isRight) return void client.end();
    }
    const [, , , type = 0] = await take(4);
    const host =
      type === 3 ? (await short()).toString() : type === 1 ? [...(await take(4))].join('.') : hexGroups(await take(16));
    const port = (await take(2)).readUInt16BE();
    asked.push(`${types[type]} ${host}:${port}`);
    const target = map[`${host}:${port}`] ?? `${host}:${port}`;
    const colon = target.lastIndexOf(':');
    const upstream = connect(Number(target.slice(colon + 1)), target.slice(0, colon));
    keep(upstream);
    upstream.on('error', () => client.end(Uint8Array.of(5, 5, 0, 1, 0, 0, 0, 0, 0, 0)));
    upstream.on('connect', () => {
      client.removeAllListeners('data');
      client.write(Uint8Array.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0));
      client.pipe(upstream).pipe(client);
    });
  };
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };

  const server = createServer(client => {
    keep(client);
    void attend(client);
  });
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};

const hexGroups = (bytes: Buffer): string =>
  `[${Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16)).join(':')}]`;

/** A local HTTP service in the simulated world, which sends valid and invalid responses. */
import type { Address, Socket } from '@tessera/contracts';
import type { World } from '@tessera/sim';

/** Returns the response to `GET /path`, or acts on the socket. */
export type HttpPlay = (request: string, socket: Socket, headers: string) => string | void;

export interface MetadataService {
  /** The first lines of requests in order, without the version. */
  readonly asked: readonly string[];
  /** The number of open connections. */
  readonly open: number;
  close(): Promise<void>;
}

/** A complete response. */
export const ok = (body: string, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

export const startMetadataService = async (
  world: World,
  address: Address,
  play: HttpPlay,
): Promise<MetadataService> => {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const { listener } = world.at(address.replace(/:\d+$/, ''));
  const listening = await listener.listen(address, socket => {
    sockets.add(socket);
    let text = '';
    let room = new Uint8Array(0);
    socket.listen({
      room: () => (room = new Uint8Array(4096)),
      filled: length => {
        text += Buffer.from(room.subarray(0, length)).toString('latin1');
        if (!text.includes('\r\n\r\n')) return;
        const request = text.split(' HTTP/1.1')[0]!;
        asked.push(request);
        const answer = play(request, socket, text);
        text = '';
        if (answer !== undefined) socket.write(Buffer.from(answer, 'latin1'));
      },
      drained: () => undefined,
      closed: () => {
        sockets.delete(socket);
        socket.destroy();
      },
    });
  });
  return {
    asked,
    get open() {
      return sockets.size;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await listening.close();
    },
  };
};

import type { Address, Listener, Socket } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import { deserialize, serialize } from 'bson';

/** What a broken server hears in place of a command. Values keep their BSON types. */
export type Mishear = (command: Record<string, unknown>, member: Address) => void;

type Hear = (command: Record<string, unknown>) => void;

const header = 16;
const opMsg = 2013;
/** Behind the header and the flags. */
const firstSection = header + 4;

/** The frame of an OP_MSG with its body changed; other frames are as they were. */
const misheard = (frame: Uint8Array, mishear: Hear): Uint8Array => {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  if (view.getInt32(12, true) !== opMsg || frame[firstSection] !== 0) return frame;
  const start = firstSection + 1;
  const end = start + view.getInt32(start, true);
  const command = deserialize(frame.subarray(start, end), { promoteValues: false });
  mishear(command);
  const body = serialize(command, { ignoreUndefined: false });
  const changed = new Uint8Array(start + body.length + frame.length - end);
  changed.set(frame.subarray(0, start));
  changed.set(body, start);
  changed.set(frame.subarray(end), start + body.length);
  new DataView(changed.buffer).setInt32(0, changed.length, true);
  return changed;
};

/** Cuts what arrives into frames and hands them on. */
const reframed = (socket: Socket, mishear: Hear): Socket => ({
  readsAhead: socket.readsAhead,
  listen: sink => {
    let bytes = new Uint8Array(65_536);
    let have = 0;
    const handOn = (frame: Uint8Array): void => {
      for (let at = 0; at < frame.length;) {
        const room = sink.room();
        const length = Math.min(room.length, frame.length - at);
        room.set(frame.subarray(at, at + length));
        sink.filled(length);
        at += length;
      }
    };
    socket.listen({
      room: () => {
        if (have === bytes.length) {
          const longer = new Uint8Array(bytes.length * 2);
          longer.set(bytes);
          bytes = longer;
        }
        return bytes.subarray(have);
      },
      filled: length => {
        have += length;
        let at = 0;
        while (have - at >= header) {
          const size = new DataView(bytes.buffer, at).getInt32(0, true);
          if (size > have - at) break;
          handOn(misheard(bytes.slice(at, at + size), mishear));
          at += size;
        }
        bytes.copyWithin(0, at, have);
        have -= at;
      },
      drained: () => {
        sink.drained();
      },
      closed: cause => {
        sink.closed(cause);
      },
    });
  },
  write: bytes => socket.write(bytes),
  end: () => {
    socket.end();
  },
  destroy: () => {
    socket.destroy();
  },
  ...(socket.reset === undefined ? {} : { reset: socket.reset.bind(socket) }),
});

/** Each member listens at the host of its address. */
export const listenerOf = (world: World, mishear: Mishear | undefined): Listener => ({
  listen: (address, accept) =>
    world.at(address.slice(0, address.lastIndexOf(':'))).listener.listen(
      address,
      mishear === undefined
        ? accept
        : socket => {
            accept(
              reframed(socket, command => {
                mishear(command, address);
              }),
            );
          },
    ),
});

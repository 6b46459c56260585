/** Sockets of servers, with somebody in between. */
import type { Address, SocketSink } from '@tessera/contracts';

const header = 16;

export const hostOf = (address: Address): string => address.slice(0, address.lastIndexOf(':'));

/** Cuts the stream of one connection into frames. */
export const cutFrames = (heard: (frame: Uint8Array) => void): Pick<SocketSink, 'room' | 'filled'> => {
  let bytes = new Uint8Array(4096);
  let have = 0;
  return {
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
        heard(bytes.slice(at, at + size));
        at += size;
      }
      bytes.copyWithin(0, at, have);
      have -= at;
    },
  };
};

/** As if these bytes had arrived. */
export const handOn = (sink: SocketSink, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length;) {
    const room = sink.room();
    const length = Math.min(room.length, bytes.length - at);
    room.set(bytes.subarray(at, at + length));
    sink.filled(length);
    at += length;
  }
};

import type { Listener, Socket } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import { deserialize, serialize } from 'bson';
import { around } from '../kernel/around.js';
import type { Tamper } from '../kernel/kind.js';
import { cutFrames, handOn, hostOf } from '../kernel/frames.js';

type Change = (command: Record<string, unknown>) => void;

const header = 16;
const opMsg = 2013;
/** The first section follows the header and the flags. */
const firstSection = header + 4;

/** Returns the frame of an OP_MSG with its body changed, and any other frame unchanged. */
const tampered = (frame: Uint8Array, tamper: Change): Uint8Array => {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  if (view.getInt32(12, true) !== opMsg || frame[firstSection] !== 0) return frame;
  const start = firstSection + 1;
  const end = start + view.getInt32(start, true);
  const command = deserialize(frame.subarray(start, end), { promoteValues: false });
  tamper(command);
  const body = serialize(command, { ignoreUndefined: false });
  const changed = new Uint8Array(start + body.length + frame.length - end);
  changed.set(frame.subarray(0, start));
  changed.set(body, start);
  changed.set(frame.subarray(end), start + body.length);
  new DataView(changed.buffer).setInt32(0, changed.length, true);
  return changed;
};

const reframed = (socket: Socket, tamper: Change): Socket =>
  around(socket, {
    listen: sink => {
      const frames = cutFrames(frame => handOn(sink, tampered(frame, tamper)));
      socket.listen(around(sink, frames));
    },
  });

/** Listens for each member at the host of its address. */
export const listenerOf = (world: World, tamper: Tamper | undefined): Listener => ({
  listen: (address, accept) =>
    world
      .at(hostOf(address))
      .listener.listen(
        address,
        tamper === undefined ? accept : socket => accept(reframed(socket, command => tamper(command, address))),
      ),
});

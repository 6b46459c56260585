import type { Listener, Socket } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import { deserialize, serialize } from 'bson';
import { around } from '../kernel/around.js';
import type { Mishear } from '../kernel/kind.js';
import { cutFrames, handOn, hostOf } from '../kernel/frames.js';

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

const reframed = (socket: Socket, mishear: Hear): Socket =>
  around(socket, {
    listen: sink => {
      const frames = cutFrames(frame => handOn(sink, misheard(frame, mishear)));
      socket.listen(around(sink, frames));
    },
  });

/** Each member listens at the host of its address. */
export const listenerOf = (world: World, mishear: Mishear | undefined): Listener => ({
  listen: (address, accept) =>
    world
      .at(hostOf(address))
      .listener.listen(
        address,
        mishear === undefined ? accept : socket => accept(reframed(socket, command => mishear(command, address))),
      ),
});

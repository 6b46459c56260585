import type { Case } from './cases.js';
import { int64 } from './bson/make.js';
import { cursorOf, judgeReply } from './judge.js';
import { frameOfCommand } from './message.js';
import { lastCursor } from './mutate/values.js';
import type { Target, Violation } from './target.js';
import type { WireClient } from './wire-client.js';
import { openClient } from './wire-client.js';

const ping = frameOfCommand({ ping: 1 }, 'admin');

/** How long another client may wait for its ping, in milliseconds of the server's work. */
const mostBusy = 1_000;

/** Whoever has not answered by then will not, in milliseconds. */
const patience = 20_000;

/** Somebody else, who wants nothing but an answer. */
export interface Watch {
  /** What is wrong, if the server does not answer soon. */
  look(): Promise<Violation | undefined>;
  close(): void;
}

const exited = (target: Target): Violation | undefined => {
  const what = target.ended();
  return what === undefined ? undefined : { kind: 'exit', what };
};

/** The end of a process is heard of a little after that of its sockets. */
const exitedSoon = async (target: Target): Promise<Violation | undefined> => {
  for (let i = 0; i < 200 && target.ended() === undefined; i++) await new Promise(resolve => setTimeout(resolve, 10));
  return exited(target);
};

export const openWatch = async (target: Target): Promise<Watch> => {
  const client = await openClient(target.port);
  return {
    look: async () => {
      const before = target.busy();
      client.send(ping);
      const reply = await client.next(patience);
      const busy = target.busy() - before;
      if (reply === undefined) {
        const end = await (client.isOpen ? exited(target) : exitedSoon(target));
        return (
          end ?? { kind: 'hang', what: `A ping of another client was not answered in ${patience} ms (CPU ${busy} ms)` }
        );
      }
      const wrong = judgeReply(reply);
      if (wrong !== undefined) return wrong;
      return busy > mostBusy
        ? { kind: 'hang', what: `A ping of another client waited for ${busy} ms of the server's CPU time` }
        : undefined;
    },
    close: () => {
      client.close();
    },
  };
};

const placeholder = Buffer.from(int64('', lastCursor).value as Buffer);

const withCursor = (frame: Buffer, cursor: bigint | undefined): Buffer => {
  const at = cursor === undefined ? -1 : frame.indexOf(placeholder);
  if (at === -1) return frame;
  const copy = Buffer.from(frame);
  copy.writeBigInt64LE(cursor!, at);
  return copy;
};

const judgeAll = (client: WireClient): Violation | undefined => {
  for (const reply of client.replies) {
    const wrong = judgeReply(reply);
    if (wrong !== undefined) return wrong;
  }
  return client.rest.length >= 4 && client.rest.readInt32LE(0) < 16
    ? { kind: 'reply', what: `What is no frame: ${client.rest.subarray(0, 64).toString('hex')}` }
    : undefined;
};

/** How long a reply that is late is waited for, in milliseconds: what waits by right must not hold up the run. */
const grace = 4;

/** Sends a case on a connection of its own, and answers what the server did that it must not do. */
export const playCase = async (target: Target, watch: Watch, { frames }: Case): Promise<Violation | undefined> => {
  let client: WireClient;
  try {
    client = await openClient(target.port);
  } catch (error) {
    return (await exitedSoon(target)) ?? { kind: 'exit', what: `No connection: ${String(error)}` };
  }
  try {
    let cursor: bigint | undefined;
    for (const frame of frames) {
      client.send(withCursor(frame, cursor));
      const wrong = await watch.look();
      if (wrong !== undefined) return wrong;
      const reply = await client.next(grace);
      cursor = (reply === undefined ? undefined : cursorOf(reply)) ?? cursor;
    }
    return judgeAll(client);
  } finally {
    client.close();
  }
};

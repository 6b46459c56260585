import type { Case } from './cases.js';
import { int64 } from './bson/make.js';
import { cursorOf, judgeReply } from './judge.js';
import { frameOfCommand } from './message.js';
import { lastCursor } from './mutate/values.js';
import type { Target, Violation } from './target.js';
import type { WireClient } from './wire-client.js';
import { openClient } from './wire-client.js';

const ping = frameOfCommand({ ping: 1 }, 'admin');

/** The CPU time that the server may use before it answers another client's ping, in milliseconds. */
const mostBusy = 1_000;

/** The time after which a server is considered unresponsive, in milliseconds. */
const patience = 20_000;

/** Another client, which checks that the server still replies. */
export interface Watch {
  /** Returns a violation if the server does not reply soon. */
  look(): Promise<Violation | undefined>;
  close(): void;
}

const exited = (target: Target): Violation | undefined => {
  const what = target.ended();
  return what === undefined ? undefined : { kind: 'exit', what };
};

/** Waits for the end of a process, which is reported a little after the end of its sockets. */
export const exitedSoon = async (target: Target): Promise<Violation | undefined> => {
  for (let i = 0; i < 200 && target.ended() === undefined; i++) await new Promise(resolve => setTimeout(resolve, 10));
  return exited(target);
};

/** @param most the CPU time that the server may use before it answers, in milliseconds */
export const openWatch = async (target: Target, most: number = mostBusy): Promise<Watch> => {
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
          end ?? { kind: 'hang', what: `Another client's ping was not answered within ${patience} ms (CPU ${busy} ms)` }
        );
      }
      const wrong = judgeReply(reply);
      if (wrong !== undefined) return wrong;
      return busy > most
        ? { kind: 'hang', what: `Another client's ping waited for ${busy} ms of the server's CPU time`, isDelay: true }
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
    ? { kind: 'reply', what: `The reply is not a frame: ${client.rest.subarray(0, 64).toString('hex')}` }
    : undefined;
};

/** How long to wait for a late reply, in milliseconds. Commands that wait by design must not slow the run down. */
const grace = 4;

/** Sends a case on its own connection, and returns the violation that it causes, if any. */
export const playCase = async (target: Target, watch: Watch, { frames }: Case): Promise<Violation | undefined> => {
  let client: WireClient;
  try {
    client = await openClient(target.port);
  } catch (error) {
    return (await exitedSoon(target)) ?? { kind: 'exit', what: `Could not connect: ${String(error)}` };
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

/** Whoever runs the server: asks it over a socket of its own, past the network and all that goes wrong there. */
import type { Document, Socket, SocketSink, WireCodec } from '@tessera/contracts';
import type { Server } from '@tessera/server';
import { handOn, replyFrame } from '../kernel/frames.js';
import { marksOf } from './plan.js';
import type { ClientCall } from './plan.js';

export interface Operator {
  /** The documents that reads are to find and writes are to change, journaled. */
  prepare(calls: readonly ClientCall[]): Promise<void>;
  /** Sets a fail point. */
  fail(times: number, data: Document): void;
  /** No fail point is set any more. */
  calm(): Promise<void>;
  /** How often each mark of these calls is there. */
  find(calls: readonly ClientCall[]): Promise<ReadonlyMap<string, number>>;
}

/** Of each call that deletes: so many are there, and it is to delete one. */
const tokens = 3;
/** Enough for a cursor that gets more. */
const fillers = 5;

/** The mark of a call that is made by deleting. */
const deletedMark = ({ kind, number }: ClientCall): string | undefined => {
  if (kind === 'deleteOne') return `${number}.0`;
  return kind === 'bulkWrite' ? `${number}.2` : undefined;
};

export const createOperator = (server: Server, wire: WireCodec): Operator => {
  /** Never answers while the server is gone. */
  const ask = (command: Document): Promise<Document> =>
    new Promise(resolve => {
      let sink: SocketSink | undefined;
      const nothing = (): void => undefined;
      const socket: Socket = {
        readsAhead: false,
        listen: listener => {
          sink = listener;
        },
        write: bytes => {
          resolve(wire.document(bytes));
          return true;
        },
        end: nothing,
        destroy: nothing,
        reset: nothing,
      };
      server.accept(socket);
      const frame = replyFrame(wire, { id: 1, to: 0, more: false }, command);
      if (sink !== undefined) handOn(sink, frame);
    });

  return {
    prepare: async calls => {
      const deletes = calls.flatMap(call => deletedMark(call) ?? []);
      const documents = [
        { log: true, marks: [] },
        ...Array.from({ length: fillers }, (_, filler) => ({ filler })),
        ...deletes.flatMap(token => Array.from({ length: tokens }, () => ({ token }))),
      ];
      await ask({ insert: 'marks', documents, writeConcern: { w: 1, j: true }, $db: 'shop' });
    },
    fail: (times, data) => void ask({ configureFailPoint: 'failCommand', mode: { times }, data, $db: 'admin' }),
    calm: async () => {
      await ask({ configureFailPoint: 'failCommand', mode: 'off', $db: 'admin' });
    },
    find: async calls => {
      const reply = await ask({ find: 'marks', batchSize: 10_000, $db: 'shop' });
      const { firstBatch } = reply['cursor'] as { readonly firstBatch: readonly Document[] };
      const found = new Map(calls.flatMap(marksOf).map(mark => [mark, 0]));
      const count = (mark: string, by: number): void => void found.set(mark, (found.get(mark) ?? 0) + by);
      for (const call of calls) {
        const mark = deletedMark(call);
        if (mark !== undefined) count(mark, tokens);
      }
      for (const { log, marks, mark, token } of firstBatch) {
        if (log === true) for (const pushed of marks as readonly string[]) count(pushed, 1);
        else if (mark !== undefined) count(String(mark), 1);
        else if (token !== undefined) count(String(token), -1);
      }
      return found;
    },
  };
};

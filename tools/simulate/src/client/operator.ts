/** The operator of the server. Sends commands over its own socket, which no fault of the network reaches. */
import type { Document, Socket, SocketSink, WireCodec } from '@tessera/contracts';
import type { Server } from '@tessera/server';
import { handOn, replyFrame } from '../kernel/frames.js';
import { marksOf } from './plan.js';
import type { ClientCall } from './plan.js';

export interface Operator {
  /** Inserts the documents that reads find and writes change, with write concern `j: true`. */
  prepare(calls: readonly ClientCall[]): Promise<void>;
  /** Sets a fail point. */
  fail(times: number, data: Document): void;
  /** Turns all fail points off. */
  calm(): Promise<void>;
  /** Returns how often each mark of these calls exists. */
  find(calls: readonly ClientCall[]): Promise<ReadonlyMap<string, number>>;
}

/** The number of documents for each call that deletes. The call deletes one of them. */
const tokens = 3;
/** Enough documents for a cursor that sends getMore. */
const fillers = 5;

/** Returns the mark of a call that deletes a document. */
const deletedMark = ({ kind, number }: ClientCall): string | undefined => {
  if (kind === 'deleteOne') return `${number}.0`;
  return kind === 'bulkWrite' ? `${number}.2` : undefined;
};

export const createOperator = (server: Server, wire: WireCodec): Operator => {
  /** Sends a command. The promise never resolves while the server is down. */
  const send = (command: Document): Promise<Document> =>
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
      await send({ insert: 'marks', documents, writeConcern: { w: 1, j: true }, $db: 'shop' });
    },
    fail: (times, data) => void send({ configureFailPoint: 'failCommand', mode: { times }, data, $db: 'admin' }),
    calm: async () => {
      await send({ configureFailPoint: 'failCommand', mode: 'off', $db: 'admin' });
    },
    find: async calls => {
      const reply = await send({ find: 'marks', batchSize: 10_000, $db: 'shop' });
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

import { bson } from '@tessera/bson';
import { createConnect } from '@tessera/connection';
import type { BodyWriter, Document, EventSink, Lease, Message, Millis, Reply } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createPools } from '@tessera/pool';
import { createWire } from '@tessera/wire';
import type { NewClient } from './side.js';

const silence: EventSink = { wants: () => false, emit: () => undefined };

const head = bson.elements({ find: 'one' });
const tail = bson.elements({
  limit: 1,
  singleBatch: true,
  $db: 'bench',
  lsid: { id: new bson.values.Binary(new Uint8Array(16), 4) },
});
const filters = bson.shape();
const documents = bson.shape();

/** One find command, encoded into the frame and decoded from the receive buffer in the same way as in the driver. */
class FindOne implements Message {
  readonly db = 'bench';
  readonly name = 'find';
  readonly operationId = 0;
  readonly answer = 'one';
  private readonly lease: Lease;
  private readonly filter: Document;
  private readonly resolve: (document: Document | null) => void;
  private readonly reject: (error: unknown) => void;
  private found: Document | null = null;

  constructor(
    lease: Lease,
    filter: Document,
    resolve: (document: Document | null) => void,
    reject: (error: unknown) => void,
  ) {
    this.lease = lease;
    this.filter = filter;
    this.resolve = resolve;
    this.reject = reject;
  }

  body(writer: BodyWriter): void {
    writer.elements(head);
    writer.value('filter', this.filter, filters);
    writer.elements(tail);
  }

  reply(reply: Reply): void {
    this.found = reply.view('cursor')?.batch('firstBatch')?.next(documents) ?? null;
  }

  end(): void {
    this.lease.release();
    this.resolve(this.found);
  }

  fail(error: unknown): void {
    this.lease.release();
    this.reject(error);
  }
}

const never: Millis = Infinity;

/**
 * Runs findOne with only the pool and the connection: no sessions, retries or server selection. The difference to the
 * driver's own findOne is the cost of those layers.
 */
export const newBareClient: NewClient = uri => {
  const { clock, transport, platform, host, compressors } = createNode();
  const wire = createWire({ bson, compressors });
  const connect = createConnect({ clock, transport, platform, host, compressors, wire, bson, events: silence });
  const pool = createPools({ clock, events: silence, connect }, {})(new URL(uri).host, () => undefined);
  pool.ready();
  const only = (): never => {
    throw new Error('The client with only the pool and the connection supports findOne alone.');
  };
  const findOne = (filter: Document): Promise<Document | null> =>
    new Promise((resolve, reject) => {
      const send = (lease: Lease): void => lease.connection.start(new FindOne(lease, filter, resolve, reject), never);
      const lease = pool.checkOut({ deadline: never });
      if (lease instanceof Promise) lease.then(send, reject);
      else send(lease);
    });
  return {
    connect: () => Promise.resolve(),
    on: only,
    db: () => ({
      command: only,
      collection: () => ({ findOne, insertOne: only, insertMany: only, find: only, bulkWrite: only, watch: only }),
    }),
    bulkWrite: only,
    bucket: only,
    close: () => Promise.resolve(pool.close()),
  };
};

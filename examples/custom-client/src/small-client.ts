import { bson } from '@tessera/bson';
import { createConnect } from '@tessera/connection';
import type { Address, Document, EventSink } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createPools } from '@tessera/pool';
import { createWire } from '@tessera/wire';

/** A sink without listeners, so that no events are created. */
const silence: EventSink = { wants: () => false, emit: () => undefined };

export interface SmallClient {
  command(db: string, command: Document): Promise<Document>;
  close(): void;
}

/**
 * Creates a client that sends commands to one server over a connection pool.
 * @param limit time limit per command, in milliseconds
 */
export const createSmallClient = (address: Address, limit = 5_000): SmallClient => {
  const { clock, transport, platform, host, compressors } = createNode();
  const wire = createWire({ bson, compressors });
  const connect = createConnect({ clock, transport, platform, host, compressors, wire, bson, events: silence });
  const pool = createPools({ clock, events: silence, connect }, { maxPoolSize: 4 })(address, () => undefined);
  pool.ready();
  return {
    async command(db, command) {
      const deadline = clock.now() + limit;
      const lease = await pool.checkOut({ deadline });
      try {
        return await lease.connection.command(db, command, deadline);
      } finally {
        lease.release();
      }
    },
    close() {
      pool.close();
    },
  };
};

/** Wraps a `Connect`. Its connections fail on demand instead of sending a command. */
import type { Connect, Connection } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

export interface Faults {
  /** Makes the connection fail at the next `times` commands with this name. */
  cut(name: string, times: number): void;
  wrap(connect: Connect): Connect;
}

export const createFaults = (): Faults => {
  const due = new Map<string, number>();
  const isCut = (name: string): boolean => {
    const left = due.get(name) ?? 0;
    due.set(name, Math.max(0, left - 1));
    return left > 0;
  };

  const faulty = (connection: Connection): Connection => ({
    id: connection.id,
    address: connection.address,
    hello: connection.hello,
    get closed() {
      return connection.closed;
    },
    start(message, deadline) {
      if (!isCut(message.name)) return connection.start(message, deadline);
      const origin = { phase: 'command', sent: true, address: connection.address } as const;
      const error = new MongoError('network', 'The connection to the server was cut.', { origin });
      connection.close(error);
      message.fail(error);
    },
    command: (db, command, deadline) => connection.command(db, command, deadline),
    detach: error => connection.detach(error),
    close: cause => connection.close(cause),
  });

  return {
    cut: (name, times) => void due.set(name, times),
    wrap: connect => async (to, options) => {
      const connection = await connect(to, options);
      return options.use === 'operations' ? faulty(connection) : connection;
    },
  };
};

import { Cancellation } from '@tessera/contracts';
import type { Address, Clock, Connect, Connection, Millis } from '@tessera/contracts';
import { helloCommand } from './hello-command.js';

export interface RoundTripMonitorDeps {
  readonly clock: Clock;
  readonly connect: Connect;
  /** Returns the id of the next connection to this server. */
  readonly nextConnectionId: () => number;
  readonly measured: (roundTrip: Millis) => void;
}

export interface RoundTripMonitorOptions {
  readonly address: Address;
  readonly heartbeatFrequencyMS: Millis;
  /** The time limit of opening the connection and of each measurement. 0 means no limit. */
  readonly connectTimeoutMS: Millis;
}

/** Measures round-trip times on a dedicated connection, while the connection of the monitor streams. */
export interface RoundTripMonitor {
  /** Starts measuring. Does nothing if it is already running. */
  start(): void;
  stop(): void;
  /** Resolves when all connections are closed. */
  close(): Promise<void>;
}

/**
 * Returns a round-trip monitor. It emits no events and reports no errors to the topology. Rule: Server Monitoring,
 * "Measuring RTT".
 */
export const createRoundTripMonitor = (
  deps: RoundTripMonitorDeps,
  options: RoundTripMonitorOptions,
): RoundTripMonitor => {
  const { clock, connect, nextConnectionId, measured } = deps;
  const { address, heartbeatFrequencyMS, connectTimeoutMS } = options;
  const unsettled = new Set<Promise<void>>();
  let running: Cancellation | undefined;

  const deadline = (): Millis => (connectTimeoutMS === 0 ? Infinity : clock.now() + connectTimeoutMS);

  /** Measures once. Returns the connection for the next measurement, or undefined after a failure. */
  const measure = async (over: Connection | undefined, signal: Cancellation): Promise<Connection | undefined> => {
    let connection = over;
    let roundTrip: Millis;
    try {
      if (connection === undefined) {
        connection = await connect(address, { use: 'monitor', id: nextConnectionId(), deadline: deadline(), signal });
        roundTrip = connection.hello.roundTrip;
      } else {
        const began = clock.now();
        await connection.command('admin', helloCommand(connection.hello.document), deadline());
        roundTrip = clock.now() - began;
      }
    } catch {
      connection?.close();
      return undefined;
    }
    if (!signal.aborted) measured(roundTrip);
    return connection;
  };

  const run = async (signal: Cancellation): Promise<void> => {
    let connection: Connection | undefined;
    const closeConnection = (): void => connection?.close();
    signal.addEventListener('abort', closeConnection);
    while (!signal.aborted) {
      connection = await measure(connection, signal);
      await clock.sleep(heartbeatFrequencyMS, signal).catch(() => undefined);
    }
    closeConnection();
  };

  const stop = (): void => {
    const before = running;
    running = undefined;
    before?.abort(undefined);
  };

  return {
    start() {
      if (running !== undefined) return;
      running = new Cancellation();
      const settled: Promise<void> = run(running).finally(() => unsettled.delete(settled));
      unsettled.add(settled);
    },
    stop,
    async close() {
      stop();
      await Promise.all(unsettled);
    },
  };
};

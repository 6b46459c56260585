import { Cancellation } from '@tessera/contracts';
import type { Address, Clock, Connect, Connection, Millis } from '@tessera/contracts';
import { helloCommand } from './hello-command.js';

/**
 * The weight of the newest round trip in the average. Rule: Server Selection, "Calculation of Average Round Trip
 * Times".
 */
const alpha = 0.2;

/** Returns the next exponentially weighted moving average. The first round trip is the first average. */
export const averageRoundTrip = (average: Millis | undefined, newest: Millis): Millis =>
  average === undefined ? newest : alpha * newest + (1 - alpha) * average;

/** The number of recent round trips of which the minimum is taken. Rule: Server Monitoring, "Measuring RTT". */
const remembered = 10;

/** The round-trip times of one server. */
export class RoundTrips {
  #mean: Millis | undefined = undefined;
  #newest: readonly Millis[] = [];

  /** Adds a round-trip time. Ignores a negative one, which means that the clock was set back. */
  add(roundTrip: Millis): void {
    if (roundTrip < 0) return;
    this.#mean = averageRoundTrip(this.#mean, roundTrip);
    this.#newest = [...this.#newest, roundTrip].slice(-remembered);
  }

  /** Returns the average, or undefined if there is none yet. */
  average(): Millis | undefined {
    return this.#mean;
  }

  /** Returns the minimum, or 0 if there are fewer than two. */
  least(): Millis {
    return this.#newest.length < 2 ? 0 : Math.min(...this.#newest);
  }

  /** Discards all round-trip times. Called when the server becomes Unknown. */
  forget(): void {
    this.#mean = undefined;
    this.#newest = [];
  }
}

export interface RoundTripMonitorDeps {
  readonly clock: Clock;
  readonly connect: Connect;
  /** Returns the id of the next connection to this server. */
  readonly nextConnectionId: () => number;
  /** Receives the measured times. */
  readonly roundTrips: RoundTrips;
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
  const { clock, connect, nextConnectionId, roundTrips } = deps;
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
    if (!signal.aborted) roundTrips.add(roundTrip);
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

import type {
  Address,
  Clock,
  Deployment,
  Dispatch,
  Exchange,
  Millis,
  MongoError,
  Operation,
  Pin,
  Random,
  Request,
  Session,
  Signal,
} from '@tessera/contracts';

/** Options of one call of an operation, apart from the command itself. */
export interface Call {
  /** The session of the operation. Undefined: the driver uses one of its own where the server has sessions. */
  readonly session?: Session | undefined;
  /** Ends the operation early. */
  readonly signal?: Signal | undefined;
  /** A point in time on {@link Clock.now}. `noLimit` with `timeoutMS: 0`; undefined without timeoutMS. */
  readonly deadline?: Millis | undefined;
  /** The timeoutMS from which the deadline was computed. 0 means no limit; undefined means that the older time limits apply. */
  readonly timeoutMS?: number | undefined;
  /** With timeoutMS: returns a new deadline, for killing a cursor and, with timeoutMode iteration, for each of its steps. */
  readonly renew?: (() => Millis) | undefined;
  /** Exchanges for every command: with timeoutMS, the one of `createMaxTime`. */
  readonly exchanges?: readonly Exchange[] | undefined;
}

/** The dependencies of operations with several commands. */
export interface Dispatcher {
  /** Runs a request through all layers. */
  readonly dispatch: Dispatch;
  /** The time and timers. */
  readonly clock: Pick<Clock, 'now' | 'startTimer'>;
  /** For the jitter of backoffs. */
  readonly random: Pick<Random, 'unit'>;
  /** Ends backoffs when the client closes. */
  readonly deployment: Pick<Deployment, 'closing'>;
  /** Returns a new number for an operation, for its events. */
  readonly newOperationId: () => number;
  /** Returns an implicit session for a cursor. */
  readonly implicitSession: () => Session;
  /** Kills a server cursor in the background, after `killCursors` could not be sent in time. */
  readonly killLater: (at: Address, namespace: string, id: bigint) => void;
}

const noExchanges: readonly Exchange[] = [];
const noFailures: readonly MongoError[] = [];
const noAddresses: readonly string[] = [];

/** Returns the request for an operation. */
export const createRequest = <T>(operation: Operation<T>, id: number, call: Call, pin?: Pin): Request<T> => ({
  operation,
  id,
  deadline: call.deadline ?? Infinity,
  signal: call.signal,
  session: call.session,
  pin,
  exchanges: call.exchanges ?? noExchanges,
  failures: noFailures,
  avoid: noAddresses,
});

const emptyCall: Call = {};

/** Dispatches an operation. */
export const run = <T>(
  { dispatch, newOperationId }: Dispatcher,
  operation: Operation<T>,
  call: Call = emptyCall,
): Promise<T> => dispatch(createRequest(operation, newOperationId(), call));

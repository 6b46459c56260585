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

/** What the caller of one operation says beside the command itself. */
export interface Call {
  readonly session?: Session | undefined;
  readonly signal?: Signal | undefined;
  /** On {@link Clock.now}; `noLimit` under `timeoutMS: 0`, nothing without timeoutMS. */
  readonly deadline?: Millis | undefined;
  /** The timeoutMS from which the deadline was computed. 0 means no limit; undefined means that the older time limits apply. */
  readonly timeoutMS?: number | undefined;
  /** The deadline anew, under timeoutMS: for the end of a cursor, and for each of its steps if it is to be so. */
  readonly renew?: (() => Millis) | undefined;
  /** Added to every command: under timeoutMS, what `createMaxTime` makes. */
  readonly exchanges?: readonly Exchange[] | undefined;
}

/** How operations reach the deployment. */
export interface Dispatcher {
  readonly dispatch: Dispatch;
  readonly clock: Pick<Clock, 'now' | 'startTimer'>;
  /** For the jitter of pauses. */
  readonly random: Pick<Random, 'unit'>;
  /** Ends pauses when the client is closed. */
  readonly deployment: Pick<Deployment, 'closing'>;
  readonly newOperationId: () => number;
  /** A session for a cursor, which outlives its first command. */
  readonly implicitSession: () => Session;
  /** Ends in the background a server cursor that could not be ended in time. */
  readonly killLater: (at: Address, namespace: string, id: bigint) => void;
}

const noExchanges: readonly Exchange[] = [];
const noFailures: readonly MongoError[] = [];
const noAddresses: readonly string[] = [];

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

export const run = <T>(
  { dispatch, newOperationId }: Dispatcher,
  operation: Operation<T>,
  call: Call = emptyCall,
): Promise<T> => dispatch(createRequest(operation, newOperationId(), call));

import type {
  Clock,
  Dispatch,
  Exchange,
  Millis,
  MongoError,
  Operation,
  Pin,
  Request,
  Session,
  Signal,
} from '@tessera/contracts';

/** What the caller of one operation says beside the command itself. */
export interface Call {
  readonly session?: Session | undefined;
  readonly signal?: Signal | undefined;
  /** On {@link Clock.now}. */
  readonly deadline?: Millis | undefined;
}

/** How operations reach the deployment. */
export interface Dispatcher {
  readonly dispatch: Dispatch;
  readonly clock: Pick<Clock, 'now'>;
  readonly newOperationId: () => number;
  /** A session for a cursor, which outlives its first command. */
  readonly implicitSession: () => Session;
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
  exchanges: noExchanges,
  failures: noFailures,
  avoid: noAddresses,
});

const alone: Call = {};

export const run = <T>(
  { dispatch, newOperationId }: Dispatcher,
  operation: Operation<T>,
  call: Call = alone,
): Promise<T> => dispatch(createRequest(operation, newOperationId(), call));

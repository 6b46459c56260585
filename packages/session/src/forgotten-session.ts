import { MongoError } from '@tessera/contracts';
import type { Host, Layer, Operation, Request, Scope } from '@tessera/contracts';
import { takeCallSite } from './call-site.js';
import { SessionState, followsCursor } from './session.js';

/** What happens to an operation that the function of withTransaction runs without its session. */
export type ForgottenSession = 'off' | 'warn' | 'fail';

/** One call of the function of withTransaction. */
interface Running {
  isOver: boolean;
}

export interface ForgottenSessionDetector {
  /** Wraps the layer of sessions. */
  readonly layer: (inner: Layer) => Layer;
  /** Runs the function of a transaction, and detects forgotten sessions in it and in what it awaits. */
  readonly within: <T>(run: () => Promise<T>) => Promise<T>;
}

const noDetector: ForgottenSessionDetector = { layer: inner => inner, within: run => run() };

/** @throws MongoError `usage` if the host cannot follow a call. */
export const createForgottenSessionDetector = (
  host: Host | undefined,
  configured: ForgottenSession | undefined,
): ForgottenSessionDetector => {
  const reaction = configured ?? (host?.environment('NODE_ENV') === 'development' ? 'warn' : 'off');
  if (reaction === 'off') return noDetector;
  const scope = host?.createScope?.<Running>();
  if (scope !== undefined) return detecting(scope, reaction, sentence => host?.warn?.(sentence));
  if (configured === undefined) return noDetector;
  throw new MongoError(
    'usage',
    'This host cannot follow a call through what it waits for: leave out detectForgottenSession, or set it to "off".',
  );
};

const detecting = (
  scope: Scope<Running>,
  reaction: 'warn' | 'fail',
  warn: (sentence: string) => void,
): ForgottenSessionDetector => {
  // Warns of each call site once.
  const warned = new Set<string>();

  const warnOnce = (sentence: string): void => {
    if (warned.has(sentence)) return;
    warned.add(sentence);
    warn(sentence);
  };

  return {
    layer: inner => next => {
      const dispatch = inner(next);
      return request => {
        const running = scope.current();
        if (running === undefined || running.isOver || !isForgotten(request)) return dispatch(request);
        const sentence = forgottenText(request.operation);
        if (reaction === 'fail') return Promise.reject(new MongoError('usage', sentence));
        warnOnce(sentence);
        return dispatch(request);
      };
    },
    within(run) {
      const running: Running = { isOver: false };
      return scope.run(running, run).finally(() => {
        running.isOver = true;
      });
    },
  };
};

/** Whether the operation has no session of the application. A cursor that was opened before the transaction may go on. */
const isForgotten = ({ session, operation }: Request<unknown>): boolean =>
  (session === undefined || (session instanceof SessionState && !session.isExplicit)) && !followsCursor(operation);

const forgottenText = ({ name, db }: Operation<unknown>): string =>
  `${name} in database ${db} was called within withTransaction without its session, so it is not part of the transaction; pass the option { session }.\n  ${takeCallSite().toString()}`;

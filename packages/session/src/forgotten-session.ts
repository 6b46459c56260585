import { MongoError } from '@tessera/contracts';
import type { Host, Layer, Operation, Request, Scope } from '@tessera/contracts';
import { takeCallSite } from './call-site.js';
import { SessionState, followsCursor } from './session.js';

/** How the driver reacts to an operation without a session inside the function of withTransaction. */
export type ForgottenSession = 'off' | 'warn' | 'fail';

/** One call of the function of withTransaction. */
interface Running {
  isOver: boolean;
}

/** Detects operations without a session inside withTransaction. */
export interface ForgottenSessionDetector {
  /** Wraps the layer of sessions. */
  readonly layer: (inner: Layer) => Layer;
  /** Runs the function of a transaction, and detects forgotten sessions in it and in what it awaits. */
  readonly within: <T>(run: () => Promise<T>) => Promise<T>;
}

const noDetector: ForgottenSessionDetector = { layer: inner => inner, within: run => run() };

/**
 * Creates the detector.
 * @throws MongoError `usage` if the option requires detection and the host has no `createScope`
 */
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
    '"detectForgottenSession" is not supported: this host cannot follow asynchronous calls. Leave it out or set it to "off".',
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

/** Returns whether the operation lacks an explicit session. Commands of a cursor that was opened before the transaction do not. */
const isForgotten = ({ session, operation }: Request<unknown>): boolean =>
  (session === undefined || (session instanceof SessionState && !session.isExplicit)) && !followsCursor(operation);

const forgottenText = ({ name, db }: Operation<unknown>): string =>
  `${name} in database ${db} was called within withTransaction without its session, so it is not part of the transaction. Pass the option { session }.\n  ${takeCallSite().toString()}`;

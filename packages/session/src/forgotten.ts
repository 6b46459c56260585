import { MongoError } from '@tessera/contracts';
import type { Host, Layer, Operation, Request, Scope } from '@tessera/contracts';
import { takeCallSite } from './call-site.js';
import { SessionState, followsCursor } from './session.js';

/** What becomes of an operation that a transaction's function runs without its session. */
export type ForgottenSession = 'off' | 'warn' | 'fail';

/** The function of one withTransaction, and whether it still runs. */
interface Running {
  isOver: boolean;
}

export interface Watch {
  /** Around all else of the layer. */
  readonly layer: (inner: Layer) => Layer;
  /** Runs the function of a transaction, and whatever it waits for, under watch. */
  readonly within: <T>(run: () => Promise<T>) => Promise<T>;
}

const unwatched: Watch = { layer: inner => inner, within: run => run() };

/** @throws MongoError `usage` if the host cannot follow a call. */
export const createWatch = (host: Host | undefined, asked: ForgottenSession | undefined): Watch => {
  const reaction = asked ?? (host?.environment('NODE_ENV') === 'development' ? 'warn' : 'off');
  if (reaction === 'off') return unwatched;
  const scope = host?.createScope?.<Running>();
  if (scope !== undefined) return watching(scope, reaction, sentence => host?.warn?.(sentence));
  if (asked === undefined) return unwatched;
  throw new MongoError(
    'usage',
    'This host cannot follow a call through what it waits for: leave out detectForgottenSession, or set it to "off".',
  );
};

const watching = (scope: Scope<Running>, reaction: 'warn' | 'fail', warn: (sentence: string) => void): Watch => {
  // One place in a program is told once.
  const told = new Set<string>();

  const tell = (sentence: string): void => {
    if (told.has(sentence)) return;
    told.add(sentence);
    warn(sentence);
  };

  return {
    layer: inner => next => {
      const dispatch = inner(next);
      return request => {
        const running = scope.current();
        if (running === undefined || running.isOver || !isForgotten(request)) return dispatch(request);
        const sentence = forgotten(request.operation);
        if (reaction === 'fail') return Promise.reject(new MongoError('usage', sentence));
        tell(sentence);
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

/** A cursor that was opened before goes on outside. */
const isForgotten = ({ session, operation }: Request<unknown>): boolean =>
  (session === undefined || (session instanceof SessionState && !session.isExplicit)) && !followsCursor(operation);

const forgotten = ({ name, db }: Operation<unknown>): string =>
  `${name} in database ${db} was called within withTransaction without its session, so it is not part of the transaction; pass the option { session }.\n  ${takeCallSite().toString()}`;

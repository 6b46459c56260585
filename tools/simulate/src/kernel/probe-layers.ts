/** Records requests, attempts, decisions and sessions between the layers of the driver. Changes nothing. */
import type { InnerParts } from '@tessera/client';
import { defaultParts } from '@tessera/client';
import { MongoError } from '@tessera/contracts';
import type { Exchange, Layer, Operation, Request, RetryPolicy, Session } from '@tessera/contracts';
import { around } from './around.js';
import type { Dispatched, Record } from './record.js';

export type ProbedLayers = Pick<InnerParts, 'sessions' | 'retryPolicy' | 'outerLayers'>;

/** A session that the application started has a property for its consistency. */
interface Explicit extends Session {
  readonly causalConsistency?: boolean;
}

const bitsOf = (time: bigint | undefined): bigint | undefined =>
  time === undefined ? undefined : BigInt.asUintN(64, time);

export const probeLayers = (parts: Partial<InnerParts>, record: Record): ProbedLayers => {
  const requests = new WeakMap<Operation<unknown>, Dispatched>();
  const owners = new WeakMap<Session, number>();
  let numbers = 0;
  const nextNumber = (): number => (numbers += 1);

  const layer: Layer =
    next =>
    <T>(given: Request<T>) => {
      const number = nextNumber();
      const { operation, session, deadline } = given;
      const { name, kind, retryable } = operation;
      const owner = (session === undefined ? undefined : owners.get(session)) ?? number;
      const request = { number, owner, operation: { name, kind, retryable }, deadline };
      requests.set(operation, request);
      record.add({ is: 'dispatched', request });
      const settle = (error: unknown): void => record.add({ is: 'settled', request, error });
      // The exchange of the probe comes first, so it records a reply before the session changes its state.
      return next({ ...given, exchanges: [probeExchange(request), ...given.exchanges] }).then(
        value => {
          settle(undefined);
          return value;
        },
        (error: unknown) => {
          settle(error);
          throw error;
        },
      );
    };

  const probeExchange = (request: Dispatched): Exchange => ({
    append: () => record.add({ is: 'attempted', request }),
    received: reply =>
      record.add({
        is: 'heard',
        request,
        ok: reply.ok,
        clusterTime: bitsOf(reply.view('$clusterTime')?.long('clusterTime')),
        operationTime: bitsOf(reply.long('operationTime')),
      }),
  });

  const watch = <S extends Session>(session: S, is: 'cursor' | 'plain' | 'causal'): S => {
    const owner = nextNumber();
    owners.set(session, owner);
    record.add({ is: 'opened', owner, session: is });
    const end = session.end.bind(session);
    let ended = false;
    return Object.assign(session, {
      end: () => {
        if (!ended) record.add({ is: 'released', owner });
        ended = true;
        end();
      },
    });
  };

  return {
    outerLayers: [layer, ...(parts.outerLayers ?? [])],
    sessions: (deps, options) => {
      const sessions = (parts.sessions ?? defaultParts.sessions)(deps, options);
      return {
        ...sessions,
        start: given => {
          const session = sessions.start(given);
          return watch(session, (session as Explicit).causalConsistency === true ? 'causal' : 'plain');
        },
        implicit: () => watch(sessions.implicit(), 'cursor'),
      };
    },
    retryPolicy: settings => {
      const policy = (parts.retryPolicy ?? defaultParts.retryPolicy)(settings);
      const decide: RetryPolicy['decide'] = failed => {
        const { chance } = failed;
        const decision = policy.decide(failed);
        const request = requests.get(failed.request.operation);
        const failures = failed.failures.filter(failure => MongoError.is(failure));
        if (request !== undefined) record.add({ is: 'decided', request, failures, decision, chance });
        return decision;
      };
      return around(policy, { decide });
    },
  };
};

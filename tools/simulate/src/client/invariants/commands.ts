/** The commands of a history: what was written to connections, and what became of it. */
import type { DriverEvent, Millis, MongoError } from '@tessera/contracts';
import type { Dispatched, Fact, History } from '../../kernel/record.js';
import type { ClientPlan } from '../plan.js';

/** One attempt that was written. */
export interface Sent {
  readonly at: Millis;
  readonly index: number;
  readonly request: Dispatched;
  readonly name: string;
  readonly connectionId: number;
  readonly requestId: number;
  /** The number of the call. */
  readonly call: number | undefined;
  /** The session's id, in hexadecimal digits. */
  readonly session: string | undefined;
  readonly txnNumber: bigint | undefined;
  /** The 64 bits of timestamps. */
  readonly clusterTime: bigint | undefined;
  readonly afterClusterTime: bigint | undefined;
  readonly isJournaled: boolean | undefined;
  /** How it ended, if it did before the history: by a reply that is `ok: 1`, or by an error. */
  readonly outcome: 'ok' | MongoError | undefined;
}

interface Bits {
  toBigInt(): bigint;
}

interface Command {
  readonly comment?: number;
  readonly lsid?: { readonly id: { toString(encoding: string): string } };
  readonly txnNumber?: number | bigint | Bits;
  readonly $clusterTime?: { readonly clusterTime: Bits };
  readonly readConcern?: { readonly afterClusterTime?: Bits };
  readonly writeConcern?: { readonly w?: unknown; readonly j?: boolean };
}

const bits = (value: number | bigint | Bits): bigint =>
  typeof value === 'object' ? BigInt.asUintN(64, value.toBigInt()) : BigInt(value);

/** Unless it says otherwise, a write waits for the journal from 5.0 on. */
const isJournaled = ({ writeConcern: { w, j } = {} }: Command, version: string): boolean =>
  j ?? (w === 'majority' || (w === undefined && !version.startsWith('4.')));

type Started = Extract<DriverEvent, { name: 'commandStarted' }>;

const known = new WeakMap<History, readonly Sent[]>();

/** In the order in which they were written. */
export const sentOf = (history: History): readonly Sent[] => {
  const before = known.get(history);
  if (before !== undefined) return before;
  const { version } = (history.plan as ClientPlan).server;
  const sent: { -readonly [K in keyof Sent]: Sent[K] }[] = [];
  const open = new Map<number, (typeof sent)[number]>();
  let writing: Dispatched | undefined;
  const start = (at: Millis, index: number, event: Started, request: Dispatched): void => {
    const command = event.command as Command;
    const one = {
      ...{ at, index, request, name: event.commandName },
      ...{ connectionId: event.connectionId, requestId: event.requestId },
      call: command.comment,
      session: command.lsid?.id.toString('hex'),
      txnNumber: command.txnNumber === undefined ? undefined : bits(command.txnNumber),
      clusterTime: command.$clusterTime === undefined ? undefined : bits(command.$clusterTime.clusterTime),
      afterClusterTime:
        command.readConcern?.afterClusterTime === undefined ? undefined : bits(command.readConcern.afterClusterTime),
      isJournaled: request.operation.kind === 'write' ? isJournaled(command, version) : undefined,
      outcome: undefined,
    };
    sent.push(one);
    open.set(event.requestId, one);
  };
  for (const [index, { at, fact }] of history.entries.entries()) {
    if (fact.is === 'attempted') writing = fact.request;
    else if (fact.is === 'event') {
      const { event } = fact;
      if (event.name === 'commandStarted') {
        // What could not be written was never begun; the end of a client's sessions is no request.
        if (writing?.operation.name === event.commandName) start(at, index, event, writing);
        writing = undefined;
      } else if (event.name === 'commandSucceeded' || event.name === 'commandFailed') {
        const one = open.get(event.requestId);
        open.delete(event.requestId);
        if (one !== undefined) one.outcome = event.name === 'commandSucceeded' ? 'ok' : (event.failure as MongoError);
      }
    }
  }
  known.set(history, sent);
  return sent;
};

/** Every entry, with the command that it says was sent. */
export function* entriesWithSent(
  history: History,
): Generator<{ readonly at: Millis; readonly index: number; readonly fact: Fact; readonly sent: Sent | undefined }> {
  const sent = new Map(sentOf(history).map(one => [one.index, one]));
  for (const [index, { at, fact }] of history.entries.entries()) yield { at, index, fact, sent: sent.get(index) };
}

type OfRequest = Extract<Fact, { is: 'heard' | 'decided' | 'settled' }>;

/** Facts of these kinds, each with the command that its request has sent last. */
export function* factsWithLast<K extends OfRequest['is']>(
  history: History,
  ...kinds: readonly K[]
): Generator<{ readonly index: number; readonly fact: OfRequest & { is: K }; readonly last: Sent | undefined }> {
  const isWanted = (fact: Fact): fact is OfRequest & { is: K } => (kinds as readonly string[]).includes(fact.is);
  const last = new Map<Dispatched, Sent>();
  for (const { index, fact, sent } of entriesWithSent(history)) {
    if (sent !== undefined) last.set(sent.request, sent);
    if (isWanted(fact)) yield { index, fact, last: last.get(fact.request) };
  }
}

export const told = ({ name, request, at, call }: Sent): string =>
  `${name} (request ${request.number}${call === undefined ? '' : ` of call ${call}`}) at ${at.toFixed(3)} ms`;

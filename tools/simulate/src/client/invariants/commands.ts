/** Extracts the commands of a history, with their outcomes. */
import type { DriverEvent, Millis, MongoError } from '@tessera/contracts';
import type { Dispatched, Fact, History } from '../../kernel/record.js';
import type { ClientPlan } from '../plan.js';

/** A command that was written to a connection. */
export interface Sent {
  readonly at: Millis;
  readonly index: number;
  readonly request: Dispatched;
  readonly name: string;
  readonly connectionId: number;
  readonly requestId: number;
  /** The number of the call. */
  readonly call: number | undefined;
  /** The session id in hexadecimal digits. */
  readonly session: string | undefined;
  readonly txnNumber: bigint | undefined;
  /** The 64 bits of the timestamp. */
  readonly clusterTime: bigint | undefined;
  readonly afterClusterTime: bigint | undefined;
  readonly isJournaled: boolean | undefined;
  /** The outcome: a reply with `ok: 1`, an error, or undefined if the history ended before. */
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

/** Returns whether a write waits for the journal. By default it does from version 5.0 on. */
const isJournaled = ({ writeConcern: { w, j } = {} }: Command, version: string): boolean =>
  j ?? (w === 'majority' || (w === undefined && !version.startsWith('4.')));

type Started = Extract<DriverEvent, { name: 'commandStarted' }>;

const known = new WeakMap<History, readonly Sent[]>();

/** Returns the commands of a history in the order in which they were written. */
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
        // A command that could not be written was never started. The endSessions of the client is not a request.
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

/** Yields every entry, with the command whose start it records. */
export function* entriesWithSent(
  history: History,
): Generator<{ readonly at: Millis; readonly index: number; readonly fact: Fact; readonly sent: Sent | undefined }> {
  const sent = new Map(sentOf(history).map(one => [one.index, one]));
  for (const [index, { at, fact }] of history.entries.entries()) yield { at, index, fact, sent: sent.get(index) };
}

type OfRequest = Extract<Fact, { is: 'heard' | 'decided' | 'settled' }>;

/** Yields facts of these kinds, each with the last command that its request sent. */
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

export const sentText = ({ name, request, at, call }: Sent): string =>
  `${name} (request ${request.number}${call === undefined ? '' : ` of call ${call}`}) at ${at.toFixed(3)} ms`;

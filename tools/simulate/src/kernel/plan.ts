/** The plan of a history, as data that can be printed and shortened. All times are virtual milliseconds. */
import type { Millis } from '@tessera/contracts';
import { happeningText, row, valueText } from './words.js';

/** Options of the client, under their official names. */
export interface PlannedSettings {
  readonly heartbeatFrequencyMS: Millis;
  readonly connectTimeoutMS: Millis;
  readonly socketTimeoutMS: Millis;
  readonly serverSelectionTimeoutMS: Millis;
  readonly localThresholdMS: Millis;
  readonly serverMonitoringMode: 'auto' | 'poll' | 'stream';
  readonly maxPoolSize: number;
  readonly minPoolSize: number;
  readonly maxConnecting: number;
  readonly maxIdleTimeMS: Millis;
  readonly waitQueueTimeoutMS: Millis;
  readonly retryReads: boolean;
  readonly retryWrites: boolean;
}

/** One call that a caller makes. */
export interface PlannedCall {
  /** Unique in the plan. */
  readonly number: number;
  readonly kind: string;
  /** Both count from the beginning of the call. */
  readonly timeoutMS?: Millis;
  readonly abortAfter?: Millis;
}

/** Calls that follow each other in one session. */
export interface Conversation<C extends PlannedCall = PlannedCall> {
  readonly causal: boolean;
  readonly calls: readonly C[];
}

/** A fault. Each kind of history has its own. */
export interface Fault {
  readonly what: string;
  readonly call?: undefined;
  readonly calls?: undefined;
}

export type PlannedEvent<C extends PlannedCall = PlannedCall, F extends Fault = Fault> = { readonly at: Millis } & (
  | { readonly what: 'call'; readonly call: C; readonly calls?: undefined }
  | ({ readonly what: 'converse'; readonly call?: undefined } & Conversation<C>)
  | { readonly what: 'closeClient'; readonly call?: undefined; readonly calls?: undefined }
  | F
);

export type DeploymentKind = 'standalone' | 'replicaSet' | 'sharded' | 'loadBalanced';

export interface Plan<C extends PlannedCall = PlannedCall, F extends Fault = Fault> {
  readonly seed: number;
  readonly deployment: DeploymentKind;
  /** Whether the network splits writes into pieces. */
  readonly splitsWrites: boolean;
  readonly settings: PlannedSettings;
  /** Sorted by time. */
  readonly events: readonly PlannedEvent<C, F>[];
  /** The time at which every fault ends. */
  readonly healAt: Millis;
}

/** Returns all calls of a plan, in their order. */
export const callsOf = <C extends PlannedCall>({ events }: Plan<C>): C[] =>
  events.flatMap(({ call, calls }) => calls ?? call ?? []);

/** Describes a plan: the deployment, the options of the client, and the events. */
export const planText = ({ seed, splitsWrites, settings, events, healAt }: Plan, deployment: string): string =>
  [
    `seed ${seed}: ${deployment}${splitsWrites ? ', writes are split' : ''}\n`,
    `${Object.entries(settings)
      .map(([name, value]) => `${name}=${valueText(value)}`)
      .join(' ')}\n`,
    ...events.map(({ call, ...event }) => row(event.at, 'plan', happeningText({ ...event, ...call }))),
    row(healAt, 'plan', 'every fault ends'),
  ].join('');

/** Yields the plan without some of its events: first without each half, then without ever smaller parts. */
export function* shorterPlans(plan: Plan): Generator<Plan> {
  const { length } = plan.events;
  for (let size = Math.ceil(length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < length; from += size) yield { ...plan, events: plan.events.toSpliced(from, size) };
}

/** Yields the plan with calmer options, with fewer calls in a conversation, and with an earlier end. */
export function* calmerPlans(plan: Plan): Generator<Plan> {
  const { settings, events, healAt } = plan;
  if (plan.splitsWrites) yield { ...plan, splitsWrites: false };
  if (settings.minPoolSize > 0) yield { ...plan, settings: { ...settings, minPoolSize: 0 } };
  if (settings.maxIdleTimeMS > 0) yield { ...plan, settings: { ...settings, maxIdleTimeMS: 0 } };
  for (const [place, event] of events.entries())
    if (event.calls !== undefined)
      for (const left of event.calls.keys())
        yield { ...plan, events: events.with(place, { ...event, calls: event.calls.toSpliced(left, 1) }) };
  const last = events.at(-1)?.at ?? 0;
  if (last + 1 < healAt) yield { ...plan, healAt: last + 1 };
}

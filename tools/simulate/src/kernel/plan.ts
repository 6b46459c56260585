/** What is to happen in one history, as data: it can be printed, and cut down. All times are virtual milliseconds. */
import type { Millis } from '@tessera/contracts';
import { happeningText, row, valueText } from './words.js';

/** Options of the client, under their own names. */
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

/** One call of the driver. */
export interface PlannedCall {
  /** Of this call alone. */
  readonly number: number;
  readonly kind: string;
  /** From its beginning. */
  readonly timeoutMS?: Millis;
  readonly abortAfter?: Millis;
}

/** Calls of one session, one after another. */
export interface Conversation<C extends PlannedCall = PlannedCall> {
  readonly causal: boolean;
  readonly calls: readonly C[];
}

/** What goes wrong. Each kind of history has faults of its own. */
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
  /** The network cuts what is written into pieces. */
  readonly splitsWrites: boolean;
  readonly settings: PlannedSettings;
  /** By time. */
  readonly events: readonly PlannedEvent<C, F>[];
  /** When every fault ends. */
  readonly healAt: Millis;
}

/** All calls of a plan, in the order in which they are planned. */
export const callsOf = <C extends PlannedCall>({ events }: Plan<C>): C[] =>
  events.flatMap(({ call, calls }) => calls ?? call ?? []);

/** What was planned: the deployment, the client, and what was to happen when. */
export const planText = ({ seed, splitsWrites, settings, events, healAt }: Plan, deployment: string): string =>
  [
    `seed ${seed}: ${deployment}${splitsWrites ? ', writes are split' : ''}\n`,
    `${Object.entries(settings)
      .map(([name, value]) => `${name}=${valueText(value)}`)
      .join(' ')}\n`,
    ...events.map(({ call, ...event }) => row(event.at, 'plan', happeningText({ ...event, ...call }))),
    row(healAt, 'plan', 'every fault ends'),
  ].join('');

/** The same plan without some of its events: halves first, then ever smaller parts. */
export function* shorterPlans(plan: Plan): Generator<Plan> {
  const { length } = plan.events;
  for (let size = Math.ceil(length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < length; from += size) yield { ...plan, events: plan.events.toSpliced(from, size) };
}

/** The same events in calmer worlds; fewer calls in a conversation; an earlier end. */
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

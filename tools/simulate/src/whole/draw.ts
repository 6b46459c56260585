import type { Millis } from '@tessera/contracts';
import { createChance } from '@tessera/sim';
import type { Chance } from '@tessera/sim';
import { between, drawSettings, pick } from '../draw-plan.js';
import { isWrite } from './plan.js';
import type { CallKind, PlannedCall, WholeEvent, WholeHappening, WholePlan } from './plan.js';

const kinds: readonly CallKind[] = [
  ...(['insertOne', 'insertOne', 'insertMany', 'updateOne', 'updateOne', 'findOneAndUpdate', 'deleteOne'] as const),
  ...(['bulkWrite', 'updateMany', 'findOne', 'findOne', 'find', 'find', 'countDocuments', 'distinct'] as const),
];

/** Those that are retried; a primary that changes its state says the first. */
const passingCodes = [91, 189, 10107, 11600, 11602, 13435, 6, 7, 89, 262, 9001, 134];
const lastingCodes = [2, 96, 8000, 50];
const overload = ['SystemOverloadedError', 'RetryableError'];
const commandsOfWrites = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];
const commandsOfReads = ['find', 'aggregate', 'distinct', 'getMore'];

type Numbers = () => number;

const drawCall = (chance: Chance, next: Numbers): PlannedCall => {
  const kind = pick(chance, kinds);
  const concern = pick(chance, ['majority', 'majority', 'journaled', 'memory', 'memory', undefined] as const);
  const level = pick(chance, [undefined, undefined, 'local', 'majority'] as const);
  return {
    number: next(),
    kind,
    ...(isWrite(kind) && concern !== undefined ? { concern } : {}),
    ...(!isWrite(kind) && level !== undefined ? { level } : {}),
    ...(chance.happens(0.4) ? { timeoutMS: pick(chance, [20, 100, 400, 1500, 5000]) } : {}),
    ...(chance.happens(0.12) ? { abortAfter: pick(chance, [0, 3, 30, 300]) } : {}),
  };
};

/** Bursts, so that sessions and connections are wanted at once, and single calls and conversations between them. */
const drawLoad = (chance: Chance, next: Numbers, until: Millis): WholeEvent[] => {
  const events: WholeEvent[] = [];
  const call = (at: Millis): void => void events.push({ at, what: 'call', ...drawCall(chance, next) });
  for (let bursts = between(chance, 1, 3); bursts > 0; bursts -= 1) {
    const at = chance.below(until);
    for (let count = between(chance, 2, 6); count > 0; count -= 1) call(at + chance.below(3));
  }
  for (let count = between(chance, 2, 8); count > 0; count -= 1) call(chance.below(until));
  for (let count = between(chance, 0, 3); count > 0; count -= 1) {
    const calls = Array.from({ length: between(chance, 2, 5) }, () => drawCall(chance, next));
    events.push({ at: chance.below(until), what: 'converse', causal: chance.happens(0.75), calls });
  }
  return events;
};

const lasting = (chance: Chance): Millis => pick(chance, [50, 300, 1500, 4000]);

const drawFailure = (chance: Chance): WholeHappening => {
  const commands = pick(chance, [commandsOfWrites, commandsOfReads, [...commandsOfWrites, ...commandsOfReads]]);
  const point = { what: 'fail', commands, times: pick(chance, [1, 1, 2, 3, 6]) } as const;
  const unit = chance.unit();
  if (unit < 0.2) return { ...point, errorCode: pick(chance, passingCodes) };
  if (unit < 0.45) return { ...point, errorCode: 462, errorLabels: overload };
  if (unit < 0.5) return { ...point, errorCode: 462, errorLabels: ['SystemOverloadedError'] };
  if (unit < 0.6) return { ...point, hangsUp: true };
  if (unit < 0.72) return { ...point, blocksFor: pick(chance, [30, 200, 1200, 2500]) };
  if (unit < 0.8) return { ...point, blocksFor: 100, errorCode: pick(chance, passingCodes) };
  if (unit < 0.88)
    return { ...point, errorCode: 91, errorLabels: ['RetryableWriteError', 'NoWritesPerformed'], times: 2 };
  if (unit < 0.95) return { ...point, concernCode: pick(chance, [91, 189, 100]) };
  return { ...point, errorCode: pick(chance, lastingCodes) };
};

const drawFault = (chance: Chance): WholeHappening => {
  const unit = chance.unit();
  if (unit < 0.45) return drawFailure(chance);
  if (unit < 0.6) return { what: 'crash', lasting: pick(chance, [20, 200, 1500]) };
  if (unit < 0.7) return { what: 'reset' };
  if (unit < 0.77) return { what: 'partition', lasting: lasting(chance) };
  if (unit < 0.82) return { what: 'silence', lasting: lasting(chance) };
  if (unit < 0.88) return { what: 'refuse', lasting: lasting(chance) };
  if (unit < 0.94) return { what: 'slow', by: pick(chance, [5, 60, 400, 2500]), lasting: lasting(chance) };
  return {
    what: 'mishaps',
    reset: pick(chance, [0, 0.02, 0.1]),
    stall: pick(chance, [0, 0.05, 0.2]),
    lasting: lasting(chance),
  };
};

/** Most of them where they meet a call. */
const drawFaults = (chance: Chance, load: readonly WholeEvent[], until: Millis): WholeEvent[] =>
  Array.from({ length: between(chance, 0, 7) }, () => {
    const at = chance.happens(0.7) ? pick(chance, load).at + pick(chance, [-20, -1, 0, 1, 4]) : chance.below(until);
    return { at: Math.max(0, at), ...drawFault(chance) };
  });

const drawClose = (chance: Chance, load: readonly WholeEvent[]): WholeEvent[] =>
  chance.happens(0.06) ? [{ at: pick(chance, load).at + 5, what: 'closeClient' }] : [];

/** The same seed draws the same plan. */
export const drawWhole = (seed: number): WholePlan => {
  const chance = createChance(seed, 'whole');
  let number = 0;
  const next = (): number => (number += 1);
  const healAt = pick(chance, [1500, 3000, 6000]);
  const load = drawLoad(chance, next, healAt);
  const drawn = drawSettings(chance);
  // A fail point that says that the server is going down is not followed by that: only the next heartbeat tells otherwise.
  const settings = { ...drawn, heartbeatFrequencyMS: Math.min(drawn.heartbeatFrequencyMS, 4000) };
  const capacity = { serviceTime: pick(chance, [1, 4, 15]), queue: pick(chance, [0, 1, 3]) };
  const server = {
    version: pick(chance, ['4.4.0', '5.0.0', '7.0.12', '8.2.1']),
    journalInterval: pick(chance, [30, 100, 500]),
    ...(chance.happens(0.25) ? { capacity } : {}),
    distance: pick(chance, [1, 1, 2, 5, 12]),
  };
  const events = [...load, ...drawFaults(chance, load, healAt), ...drawClose(chance, load)];
  return {
    seed,
    kind: 'whole',
    server,
    splitsWrites: chance.happens(0.2),
    settings,
    events: events.filter(({ at }) => at < healAt).sort((a, b) => a.at - b.at),
    healAt,
  };
};

import type { Document, Millis } from '@tessera/contracts';
import { createChance } from '@tessera/sim';
import type { Chance } from '@tessera/sim';
import {
  createNumbers,
  drawAbort,
  drawCalls,
  drawClose,
  drawMoment,
  drawSettings,
  drawTimeout,
  inTime,
  pick,
  several,
} from '../kernel/draw.js';
import type { PlannedEvent } from '../kernel/plan.js';
import { isWrite } from './plan.js';
import type { CallKind, ClientCall, ClientFault, ClientPlan } from './plan.js';

const kinds: readonly CallKind[] = [
  ...(['insertOne', 'insertOne', 'insertMany', 'updateOne', 'updateOne', 'findOneAndUpdate', 'deleteOne'] as const),
  ...(['bulkWrite', 'updateMany', 'findOne', 'findOne', 'find', 'find', 'countDocuments', 'distinct'] as const),
];

/** Codes of retryable errors. The first eight are also errors of a primary that changes its state. */
const passingCodes = [91, 189, 10107, 11600, 11602, 13435, 6, 7, 89, 262, 9001, 134];
const lastingCodes = [2, 96, 8000, 50];
const overload = ['SystemOverloadedError', 'RetryableError'];
const commandsOfWrites = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];
const commandsOfReads = ['find', 'aggregate', 'distinct', 'getMore'];

const drawCall = (chance: Chance, next: () => number): ClientCall => {
  const kind = pick(chance, kinds);
  const concern = pick(chance, ['majority', 'majority', 'journaled', 'memory', 'memory', undefined] as const);
  const level = pick(chance, [undefined, undefined, 'local', 'majority'] as const);
  return {
    number: next(),
    kind,
    ...(isWrite(kind) && concern !== undefined ? { concern } : {}),
    ...(!isWrite(kind) && level !== undefined ? { level } : {}),
    ...drawTimeout(chance, 0.4, [20, 100, 400, 1500, 5000]),
    ...drawAbort(chance, 0.12),
  };
};

const load = { bursts: [1, 3], inBurst: [2, 6], spread: 3, singles: [2, 8] } as const;

const drawLoad = (chance: Chance, until: Millis): PlannedEvent<ClientCall, never>[] => {
  const next = createNumbers();
  const draw = (): ClientCall => drawCall(chance, next);
  return [
    ...drawCalls(chance, until, load, draw),
    ...several(chance, [0, 3], () => {
      const calls = several(chance, [2, 5], draw);
      return { at: chance.below(until), what: 'converse', causal: chance.happens(0.75), calls } as const;
    }),
  ];
};

const lasting = (chance: Chance): Millis => pick(chance, [50, 300, 1500, 4000]);

const blocking = (blockTimeMS: Millis): Document => ({ blockConnection: true, blockTimeMS });

const drawFailure = (chance: Chance): ClientFault => {
  const failCommands = pick(chance, [commandsOfWrites, commandsOfReads, [...commandsOfWrites, ...commandsOfReads]]);
  const often = pick(chance, [1, 1, 2, 3, 6]);
  const fail = (data: Document, times = often): ClientFault => ({
    ...{ what: 'fail', times, data: { failCommands, ...data } },
  });
  const unit = chance.unit();
  if (unit < 0.2) return fail({ errorCode: pick(chance, passingCodes) });
  if (unit < 0.45) return fail({ errorCode: 462, errorLabels: overload });
  if (unit < 0.5) return fail({ errorCode: 462, errorLabels: ['SystemOverloadedError'] });
  if (unit < 0.6) return fail({ closeConnection: true });
  if (unit < 0.72) return fail(blocking(pick(chance, [30, 200, 1200, 2500])));
  if (unit < 0.8) return fail({ errorCode: pick(chance, passingCodes), ...blocking(100) });
  if (unit < 0.88) return fail({ errorCode: 91, errorLabels: ['RetryableWriteError', 'NoWritesPerformed'] }, 2);
  if (unit < 0.95) return fail({ writeConcernError: { code: pick(chance, [91, 189, 100]), errmsg: 'not replicated' } });
  return fail({ errorCode: pick(chance, lastingCodes) });
};

const drawFault = (chance: Chance): ClientFault => {
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

/** Draws a plan. The same seed draws the same plan. */
export const drawClient = (seed: number): ClientPlan => {
  const chance = createChance(seed, 'whole');
  const healAt = pick(chance, [1500, 3000, 6000]);
  const calls = drawLoad(chance, healAt);
  const drawn = drawSettings(chance);
  // A fail point may report a shutdown that does not follow, so only the next heartbeat finds the server again.
  const settings = { ...drawn, heartbeatFrequencyMS: Math.min(drawn.heartbeatFrequencyMS, 4000) };
  const capacity = { serviceTime: pick(chance, [1, 4, 15]), queue: pick(chance, [0, 1, 3]) };
  const server = {
    version: pick(chance, ['4.4.0', '5.0.0', '7.0.12', '8.2.1']),
    journalInterval: pick(chance, [30, 100, 500]),
    ...(chance.happens(0.25) ? { capacity } : {}),
    distance: pick(chance, [1, 1, 2, 5, 12]),
  };
  const faults = several(chance, [0, 7], () => ({
    at: drawMoment(chance, calls, healAt, [-20, -1, 0, 1, 4]),
    ...drawFault(chance),
  }));
  const events = [...calls, ...faults, ...drawClose(chance, 0.06, calls)];
  return {
    ...{ seed, deployment: 'replicaSet', server, settings, healAt },
    splitsWrites: chance.happens(0.2),
    events: inTime(events, healAt),
  };
};

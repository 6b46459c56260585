import type { Kind, Method } from './methods.js';
import { methods, options } from './methods.js';
import { drawPhrase } from './phrases.js';
import type { Argument, Call, Fault, Program, Step } from './program.js';
import { transports } from './program.js';
import type { Chance } from '../chance.js';
import { createChance } from '../chance.js';
import { roughValues } from './values.js';

const optionNames = Object.keys(options);

const clientOptions: Readonly<Record<string, readonly string[]>> = {
  maxPoolSize: ['1', '2', '10'],
  minPoolSize: ['0', '1'],
  retryReads: ['false'],
  retryWrites: ['false'],
  waitQueueTimeoutMS: ['500'],
  timeoutMS: ['1000'],
  monitorCommands: ['true'],
};

const faultyCommands = ['find', 'getMore', 'insert', 'update', 'aggregate', 'delete', 'commitTransaction'];
const faultData: readonly Fault['data'][] = [
  { closeConnection: true },
  { errorCode: 91 },
  { errorCode: 6 },
  { errorCode: 251 },
  { errorCode: 11600 },
  { blockConnection: true, blockTimeMS: 60 },
];

const drawFault = (chance: Chance): Fault => {
  return {
    commands: [chance.pick(faultyCommands), chance.pick(faultyCommands)],
    times: 1 + chance.below(3),
    data: chance.pick(faultData),
  };
};

const drawOptions = (chance: Chance): Argument => {
  if (chance.yes(0.1)) return chance.pick(roughValues);
  const names = Array.from({ length: chance.below(4) }, () => chance.pick(optionNames));
  const drawn = names.map(name => [name, chance.pick(chance.yes(0.5) ? options[name]! : roughValues)] as const);
  return Object.fromEntries(drawn);
};

const drawArguments = (chance: Chance, { takes }: Method): Argument[] =>
  takes.map(values => {
    if (values === 'options') return drawOptions(chance);
    return chance.pick(chance.yes(0.8) ? values : roughValues);
  });

/** Returns the methods that create objects of a kind. */
const makers = (kind: Kind): readonly Method[] => methods.filter(({ makes }) => makes === kind);

const given: Readonly<Partial<Record<Kind, string>>> = { client: 'client', db: 'db', coll: 'coll', bucket: 'bucket' };

const drawSteps = (chance: Chance, first: readonly Step[], count: number): Step[] => {
  const steps = [...first];
  const known = new Map<Kind, string[]>(Object.entries(given).map(([kind, name]) => [kind as Kind, [name]]));
  const variable = (kind: Kind): string => {
    const names = known.get(kind);
    if (names === undefined) return call(chance.pick(makers(kind)));
    return chance.pick(names);
  };
  const call = (method: Method): string => {
    const on = variable(method.on);
    const as = method.makes === 'session' ? 'session' : `r${steps.length}`;
    const waits = method.waits === true ? 'close' : method.now === true || chance.yes(0.7) ? 'now' : 'later';
    const step: Call = {
      kind: 'call',
      on,
      method: method.name,
      arguments: drawArguments(chance, method),
      as,
      wait: waits,
    };
    steps.push(step);
    if (method.makes !== undefined) known.set(method.makes, [...(known.get(method.makes) ?? []), as]);
    return as;
  };
  const length = first.length + count;
  while (steps.length < length) {
    const other = chance.below(20);
    if (other === 0) steps.push({ kind: 'abort', signal: chance.below(2) });
    else if (other === 1) steps.push({ kind: 'sleep', milliseconds: chance.below(20) });
    else call(chance.pick(methods));
  }
  return steps;
};

/**
 * Returns whether a step may retry for two minutes while no server can be selected. Specification: Convenient
 * Transactions.
 */
const retriesLong = (step: Step): boolean => JSON.stringify(step).includes('withTransaction');

/**
 * Draws the program of a seed. A program whose phrase sets a fault gets no other fault, because the phrase limits how
 * long its calls may take.
 */
export const drawProgram = (seed: number): Program => {
  const chance = createChance(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b));
  const phrase = chance.yes(0.5) ? drawPhrase(chance) : { steps: [] };
  const steps = drawSteps(chance, phrase.steps, phrase.steps.length === 0 ? 2 + chance.below(7) : chance.below(3));
  const settings = Object.fromEntries(
    Object.entries(clientOptions)
      .filter(([name]) => chance.yes(name === 'monitorCommands' ? 0.5 : 0.2))
      .map(([name, values]) => [name, chance.pick(values)]),
  );
  const program = { options: { ...settings, ...phrase.options }, steps };
  const setsFault = steps.some(({ kind }) => kind === 'fault');
  // Use any transport, because each transport reads invalid messages in its own way.
  if (!setsFault && !steps.some(retriesLong) && chance.yes(0.1)) {
    const garbage = { after: chance.below(5), piece: 1 + chance.below(20) };
    return { ...program, transport: chance.pick(transports), garbage };
  }
  const transport = chance.yes(0.7) ? ('plain' as const) : chance.pick(transports);
  return { ...program, transport, ...(!setsFault && chance.yes(0.3) && { fault: drawFault(chance) }) };
};

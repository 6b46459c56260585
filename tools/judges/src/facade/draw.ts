import type { Chance } from '../chance.js';
import { createChance } from '../chance.js';
import { roughValues } from '../rough/values.js';
import type { Kind, Member } from './grammar.js';
import { members, optionSets, optionValues, values, weights } from './grammar.js';
import type { Argument, Program, Step } from './program.js';

/** Expressions of a wrong type, except expressions that need an object of `npm run rough`. */
const wrongValues = roughValues.filter(text => !text.includes('rough') && !text.includes('then'));

const kinds = Object.keys(members) as Kind[];
const makers = new Map(
  kinds.map(kind => [kind, kinds.flatMap(on => members[on]).filter(({ makes }) => makes === kind)]),
);

/** Picks a value. Earlier values are more likely. */
const early = <T>(chance: Chance, list: readonly T[]): T =>
  chance.yes(0.6) ? list[Math.min(chance.below(list.length), chance.below(list.length))]! : chance.pick(list);

/** The variables that exist before the first step. */
const first: Readonly<Partial<Record<Kind, string>>> = { client: 'client', db: 'db', coll: 'coll', bucket: 'bucket' };

const clientOptions: Readonly<Record<string, readonly string[]>> = {
  retryWrites: ['false'],
  retryReads: ['false'],
  maxPoolSize: ['1', '5'],
  readPreference: ["'primary'", "'secondaryPreferred'"],
  readConcernLevel: ["'majority'", "'local'"],
  readConcern: ["{ level: 'local' }"],
  w: ['1', "'majority'", '0'],
  journal: ['true'],
  writeConcern: ["{ w: 'majority' }"],
  ignoreUndefined: ['true'],
  promoteLongs: ['false'],
  useBigInt64: ['true'],
  promoteValues: ['false'],
  promoteBuffers: ['true'],
  serializeFunctions: ['true'],
  forceServerObjectId: ['true'],
  pkFactory: ["{ createPk: () => 'mine' }"],
  serverApi: ["'1'", "{ version: '1', strict: true }"],
  appName: ["'app'"],
  raw: ['true'],
  bsonRegExp: ['true'],
};

/** Draws the program of a number. The same seed and number give the same program. */
export const drawProgram = (seed: number, number: number): Program => {
  const chance = createChance(Math.imul(seed, 1_000_003) + number);
  const steps: Step[] = [];
  const known = new Map(Object.entries(first).map(([kind, name]) => [kind as Kind, [name]]));
  // At most one wrong value in most programs, because the state of the drivers may differ after it.
  let wrongs = chance.yes(0.4) ? 1 : 0;
  const wrong = (probability: number): string | undefined => {
    if (wrongs === 0 || !chance.yes(probability)) return undefined;
    wrongs--;
    return chance.pick(wrongValues);
  };
  const optionsOf = (set: string): Argument => {
    const names = optionSets[set]!;
    const drawn = chance.many(1, 3, () => chance.pick(names));
    return Object.fromEntries(
      drawn.map(name => [name, wrong(0.15) ?? early(chance, optionValues[name] ?? ['1'])] as const),
    );
  };
  const argumentsOf = (takes: readonly string[]): Argument[] => {
    const drawn: Argument[] = [];
    for (const type of takes) {
      if (type.startsWith('{')) {
        if (chance.yes(0.45)) drawn.push(wrong(0.1) ?? optionsOf(type.slice(1, -1)));
      } else if (type.startsWith('?') && chance.yes(0.35)) {
        if (!takes.at(-1)!.startsWith('{') || chance.yes(0.8)) break;
        drawn.push('undefined');
      } else drawn.push(wrong(0.12) ?? early(chance, values[type.replace('?', '')]!));
    }
    return drawn;
  };
  const variable = (kind: Kind): string => {
    const names = known.get(kind);
    if (names === undefined) return add(chance.pick(makers.get(kind)!));
    return chance.yes(0.8) ? names.at(-1)! : chance.pick(names);
  };
  const add = ({ kind, name, takes, makes, helps }: Member): string => {
    const on = variable(kind);
    const isFirst = makes !== undefined && !known.has(makes);
    const as = isFirst ? makes : `r${steps.length}`;
    const args = takes === undefined ? undefined : [...(helps ? [`v.${on}`] : []), ...argumentsOf(takes)];
    const target = helps ? name : `v.${on}.${name}`;
    steps.push({ on, name: `${kind}.${name}`, target, as, ...(args !== undefined && { args }) });
    if (makes !== undefined) known.set(makes, [...(known.get(makes) ?? []), as]);
    return as;
  };
  if (chance.yes(0.6)) {
    const args = [values['docs']![0]!];
    steps.push({ on: 'coll', name: 'coll.insertMany', target: 'v.coll.insertMany', args, as: 'r0' });
  }
  const length = steps.length + 1 + chance.below(6);
  let last: Kind | undefined;
  while (steps.length < length) {
    // Go on with the object of the last step, because its state matters.
    const kind: Kind = last !== undefined && chance.yes(0.35) ? last : chance.weighted(weights);
    const member = chance.pick(members[kind]);
    add(member);
    last = member.makes ?? kind;
  }
  const topology = chance.yes(0.5) ? 'standalone' : 'replica set';
  if (!chance.yes(0.1)) return { topology, steps };
  const names = chance.some(Object.keys(clientOptions), 1, 3);
  const options = Object.fromEntries(names.map(name => [name, chance.pick(clientOptions[name]!)]));
  return { topology, options, steps };
};

import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, detached, double, fail, isDoc, isNumber, parseQuery, toDouble } from '@tessera/mql/engine';
import type { Collection } from '@tessera/store';
import { emptyCollection } from '@tessera/store';
import type { Engine } from '../engine/engine.js';
import type { ProfileFilter, ProfileSettings } from '../engine/profiler.js';
import { plainSettings } from '../engine/writer.js';
import type { Call, Command, Fields } from './command.js';
import { command } from './command.js';
import { any, integer, wrongType } from './schema.js';

/** The size of `system.profile` in bytes, as in mongod. */
const profileSize = 0x100000;

/** Returns an empty `system.profile`: capped, and without an index, because its documents have no `_id`. */
export const emptyProfile = (engine: Engine, db: string): Collection => {
  const settings = {
    ...plainSettings(engine, `${db}.system.profile`),
    options: Doc.of([
      ['capped', true],
      ['size', profileSize],
    ]),
    capped: { size: profileSize, max: Number.POSITIVE_INFINITY },
  };
  return { ...emptyCollection(settings), indexes: [] };
};

/** Reads `sampleRate`. @throws CommandError 2, 14 */
const rateOf = (value: Value): number => {
  if (!isNumber(value)) throw wrongType('profile.sampleRate', value, ['double', 'int', 'long', 'decimal']);
  const rate = toDouble(value);
  if (!(rate >= 0 && rate <= 1)) throw fail('BadValue', "'sampleRate' must be between 0.0 and 1.0 inclusive");
  return rate;
};

/** Reads `filter`. @throws CommandError 2, 9, 14, and other errors of a filter */
const filterOf = (value: Value): ProfileFilter | undefined => {
  if (value === 'unset') return undefined;
  if (!isDoc(value)) {
    throw fail('BadValue', "Expected an object, or the string 'unset', as the value of 'filter'");
  }
  const filter = detached(value);
  const { matches } = parseQuery(filter);
  return { filter, matches };
};

const levelOf = (target: Value): number => {
  if (!isNumber(target)) throw wrongType('profile.profile', target, ['int', 'long', 'double', 'decimal']);
  return toDouble(target);
};

const isLevel = (level: number): level is ProfileSettings['level'] => level === 0 || level === 1 || level === 2;

const profileReply = ({ server: { profiler }, db }: Call): Fields => {
  const { level, filter } = profiler.of(db);
  const fields: Entry[] = [
    ['was', level],
    ['slowms', profiler.slowMs],
    ['sampleRate', double(profiler.sampleRate)],
  ];
  if (filter !== undefined) {
    fields.push(
      ['filter', filter.filter],
      [
        'note',
        'When a filter expression is set, slowms and sampleRate are not used for profiling and slow-query log lines.',
      ],
    );
  }
  return fields;
};

/** Levels other than 0, 1 and 2 only return the current level. */
export const profile: Command = command({
  name: 'profile',
  schema: { slowms: integer(), sampleRate: any(), filter: any() },
  help: 'Sets which commands on a database are recorded in its system.profile.',
  run: (call, { slowms, sampleRate, filter }): Fields => {
    const { db, engine } = call;
    const { profiler } = call.server;
    const before = profileReply(call);
    const { level, filter: filterBefore } = profiler.of(db);
    const wanted = levelOf(call.target);
    const rate = sampleRate === undefined ? profiler.sampleRate : rateOf(sampleRate);
    const next: ProfileSettings = {
      level: isLevel(wanted) ? wanted : level,
      filter: filter === undefined ? filterBefore : filterOf(filter),
    };
    profiler.slowMs = slowms ?? profiler.slowMs;
    profiler.sampleRate = rate;
    profiler.set(db, next);
    if (next.level > 0) {
      engine.change('profile', draft => {
        if (draft.get(`${db}.system.profile`) === undefined) draft.set(emptyProfile(engine, db));
      });
    }
    return before;
  },
});

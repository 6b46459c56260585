import { DateValue, Doc, detached, fail, show } from '@tessera/mql/engine';
import type { Call, Command, Fields } from '../commands/command.js';
import { command } from '../commands/command.js';
import { bool, object } from '../commands/schema.js';
import type { Defaults } from './defaults.js';
import { writeDefaults } from './defaults.js';
import { memberOf } from './member-of.js';
import { implicitWriteConcern } from './set-config.js';

/** Returns the default read and write concern. */
const defaultsReply = (call: Call): Fields => {
  const { member } = memberOf(call);
  const { writeConcern, readConcern, setAt } = member.defaults;
  const implicit = Doc.of([
    ['w', implicitWriteConcern(member.config)],
    ['wtimeout', 0],
  ]);
  return [
    ['defaultReadConcern', readConcern ?? Doc.of([['level', 'local']])],
    ['defaultWriteConcern', writeConcern ?? implicit],
    ...(setAt === undefined
      ? []
      : ([
          ['updateOpTime', setAt.opTime],
          ['updateWallClockTime', new DateValue(setAt.wall)],
        ] as const)),
    ['defaultWriteConcernSource', writeConcern === undefined ? 'implicit' : 'global'],
    ['defaultReadConcernSource', readConcern === undefined ? 'implicit' : 'global'],
    ['localUpdateWallClockTime', new DateValue(setAt?.wall ?? call.engine.clock.wallTime())],
  ];
};

const getDefaultRWConcern = command({
  name: 'getDefaultRWConcern',
  schema: { inMemory: bool() },
  adminOnly: true,
  since: '4.4',
  help: 'Returns the default read and write concern.',
  run: defaultsReply,
});

const readable: ReadonlySet<unknown> = new Set(['local', 'available', 'majority']);

const setDefaultRWConcern = command({
  name: 'setDefaultRWConcern',
  schema: { defaultReadConcern: object(), defaultWriteConcern: object() },
  adminOnly: true,
  writeConcern: true,
  since: '4.4',
  help: 'Sets the default read and write concern.',
  run: (call, { defaultReadConcern: read, defaultWriteConcern: write }) => {
    const { member } = memberOf(call);
    if (read === undefined && write === undefined) {
      throw fail(
        'BadValue',
        'At least one of the "defaultReadConcern" or "defaultWriteConcern" fields must be present',
      );
    }
    const w = write?.get('w');
    if (write !== undefined && write.size > 0 && w === 0) {
      throw fail('BadValue', 'Default write concern cannot be set to { w: 0 }');
    }
    if (write?.size === 0 && member.defaults.writeConcern !== undefined) {
      throw fail('IllegalOperation', 'The global default write concern cannot be unset once it is set.');
    }
    if (read !== undefined && read.size > 0 && !readable.has(read.get('level'))) {
      throw fail('BadValue', `level: ${show(read.get('level') ?? null)} is not suitable for the default read concern`);
    }
    const { engine } = call;
    const { writeConcern, readConcern } = member.defaults;
    const next: Defaults = {
      writeConcern: write === undefined || write.size === 0 ? writeConcern : detached(write),
      readConcern: read === undefined ? readConcern : read.size === 0 ? undefined : detached(read),
      setAt: { opTime: member.clusterTime, wall: engine.clock.wallTime() },
    };
    call.data.change('setDefaultRWConcern', draft => writeDefaults(engine, draft, next));
    Object.assign(member.defaults, next);
    return defaultsReply(call);
  },
});

/** The commands about the default read and write concern. */
export const defaultCommands: readonly Command[] = [getDefaultRWConcern, setDefaultRWConcern];

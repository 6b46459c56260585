/** Callers that use the driver below the facade. Each call runs one operation. */
import type { Document } from '@tessera/contracts';
import type { Driver } from '@tessera/client';
import { createFindOne, createTarget, createWrite, Cursor, find, run } from '@tessera/operations';
import { createCallers } from '../kernel/callers.js';
import type { Callers } from '../kernel/callers.js';
import type { Record } from '../kernel/record.js';
import type { PlannedOperation } from './plan.js';

type Target = ReturnType<typeof createTarget>;

const majority: Document = { w: 'majority' };

export const createOperations = (driver: Driver, record: Record): Callers<PlannedOperation> => {
  // Operations with the same read preference share one target, as the operations of one handle do.
  const targets = new Map<string, Target>();

  const targetOf = ({ kind, mode, tags, maxStalenessSeconds }: PlannedOperation): Target => {
    const key = JSON.stringify([kind, mode, tags, maxStalenessSeconds]);
    const known = targets.get(key);
    if (known !== undefined) return known;
    const selection = { mode, tags, maxStalenessSeconds };
    const writeConcern = kind === 'insert' ? majority : undefined;
    const target = createTarget({ bson: driver.bson }, 'db', 'c', { selection, writeConcern });
    targets.set(key, target);
    return target;
  };

  return createCallers<PlannedOperation>(driver.clock, record, {
    perform: async (planned, limits) => {
      const target = targetOf(planned);
      switch (planned.kind) {
        case 'insert': {
          const write = createWrite({ newId: undefined }, target, 'insert')([{ _id: planned.number }], 0);
          await run(driver, write, limits);
          return;
        }
        case 'find':
          await run(driver, createFindOne(target)({}, undefined), limits);
          return;
        case 'scan':
          await new Cursor(driver, target, take => find(target, {}, { batchSize: 1 }, take), limits).toArray();
          return;
      }
    },
  });
};

/** Those who use the client: each does one operation. */
import type { Document, Selection } from '@tessera/contracts';
import type { Driver } from '@tessera/client';
import { createFind, createFindOne, createTarget, createWrite, Cursor, run } from '@tessera/operations';
import type { Call } from '@tessera/operations';
import type { PlannedOperation } from './plan.js';
import type { Record } from './record.js';

const majority: Document = { w: 'majority' };

export interface Callers {
  /** Never rejects: how it ended is on the record. Answers whether it succeeded. */
  call(planned: PlannedOperation): Promise<boolean>;
  /** Those whose operation has not ended. */
  readonly busy: number;
}

export const createCallers = (driver: Driver, record: Record): Callers => {
  const { clock, bson } = driver;
  // One selection for all who want the same, as one handle has.
  const targets = new Map<string, ReturnType<typeof createTarget>>();
  let operations = 0;
  let busy = 0;

  const targetOf = ({ kind, mode, tags, maxStalenessSeconds }: PlannedOperation): ReturnType<typeof createTarget> => {
    const key = JSON.stringify([kind, mode, tags, maxStalenessSeconds]);
    const known = targets.get(key);
    if (known !== undefined) return known;
    const selection: Selection = { mode, tags, maxStalenessSeconds };
    const target = createTarget({ bson }, 'db', 'c', {
      selection,
      writeConcern: kind === 'insert' ? majority : undefined,
    });
    targets.set(key, target);
    return target;
  };

  const perform = async (planned: PlannedOperation, operation: number, call: Call): Promise<void> => {
    const target = targetOf(planned);
    switch (planned.kind) {
      case 'insert': {
        const write = createWrite({ newId: undefined }, target, 'insert')([{ _id: operation }], 0);
        await run(driver, write, call);
        return;
      }
      case 'find':
        await run(driver, createFindOne(target)({}, undefined), call);
        return;
      case 'scan':
        await new Cursor(driver, target, take => createFind(target)({}, { batchSize: 1 }, take), call).toArray();
        return;
    }
  };

  return {
    call: async planned => {
      operations += 1;
      busy += 1;
      const operation = operations;
      const { timeoutMS, abortAfter } = planned;
      const deadline = timeoutMS === undefined ? Infinity : clock.now() + timeoutMS;
      const abort = new AbortController();
      record.add({ is: 'began', operation, planned, deadline });
      const timer =
        abortAfter === undefined
          ? undefined
          : clock.startTimer(abortAfter, () => {
              record.add({ is: 'aborted', operation });
              abort.abort(new Error('the caller has changed its mind'));
            });
      const call: Call = { deadline, signal: abortAfter === undefined ? undefined : abort.signal };
      try {
        await perform(planned, operation, call);
        record.add({ is: 'ended', operation, error: undefined });
        return true;
      } catch (error) {
        record.add({ is: 'ended', operation, error });
        return false;
      } finally {
        timer?.cancel();
        busy -= 1;
      }
    },
    get busy() {
      return busy;
    },
  };
};

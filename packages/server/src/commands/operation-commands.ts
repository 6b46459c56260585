import { Doc, fail, isNumber, toSafeInteger } from '@tessera/mql/engine';
import { isView, namespacesOf, databasesOf } from '../engine/database.js';
import type { Command } from './command.js';
import { command } from './command.js';
import { any } from './schema.js';

const killOp = command({
  name: 'killOp',
  schema: { op: any() },
  adminOnly: true,
  help: 'Interrupts an operation that is paused while other operations run.',
  run: ({ engine }, { op }) => {
    if (op === undefined) throw fail('BadValue', 'Did not provide "op" field');
    if (!isNumber(op) && typeof op !== 'string') throw fail('TypeMismatch', 'Expected field "op" to be a number');
    engine.operations.interrupt(({ id }) => String(id) === String(isNumber(op) ? toSafeInteger(op) : op));
    return [['info', 'attempting to kill op']];
  },
});

const nothing = Doc.of([
  ['time', 0n],
  ['count', 0n],
]);

const measured = ['total', 'readLock', 'writeLock', 'queries', 'getmore', 'insert', 'update', 'remove', 'commands'];
const usage = Doc.of(measured.map(name => [name, nothing]));

const top = command({
  name: 'top',
  lenient: true,
  adminOnly: true,
  help: 'Lists all collections. Their usage is not measured, and reported as 0.',
  run: ({ data: { value } }) => [
    [
      'totals',
      Doc.of([
        ['note', 'all times in microseconds'],
        ...databasesOf(value).flatMap(db =>
          namespacesOf(value, db)
            .filter(namespace => !isView(namespace))
            .map(({ settings }): readonly [string, Doc] => [settings.ns, usage]),
        ),
      ]),
    ],
  ],
});

/** Commands about operations in progress. */
export const operationCommands: readonly Command[] = [killOp, top];

import { fail, isNumber, toSafeInteger } from '@tessera/mql/engine';
import type { Command } from './command.js';
import { command } from './command.js';
import { serverStatus, top } from './figures.js';
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

/** Commands about operations. */
export const operationCommands: readonly Command[] = [killOp, serverStatus, top];

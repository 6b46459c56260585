import type { Value } from '@tessera/mql/engine';
import { Doc, detached, fail, isArray, isDoc, isNumber, toDouble, toSafeInteger, typeName } from '@tessera/mql/engine';
import type { FailMode, FailPoint } from '../engine/fail-points.js';
import { waitUntil } from '../engine/wait.js';
import type { Call, Command, Fields } from './command.js';
import { command } from './command.js';
import { integer, long, required } from './schema.js';

/** Reads a count of a fail point's mode. @throws CommandError 2, 9 */
const countOf = (value: Value, option: 'times' | 'skip'): number => {
  if (!isNumber(value)) {
    throw fail('TypeMismatch', `Expected field "${option}" to have numeric type, but found ${typeName(value)}`);
  }
  const n = toSafeInteger(value);
  if (n === undefined)
    throw fail('BadValue', `Expected field "${option}" to have a value exactly representable as a 64-bit integer`);
  if (n < 0) throw fail('BadValue', `'${option}' option to 'mode' must be positive`);
  if (n > 0x7fffffff) throw fail('BadValue', `'${option}' option to 'mode' is too large`);
  return n;
};

const probabilityOf = (value: Value): number => {
  if (!isNumber(value)) {
    throw fail('TypeMismatch', "the 'activationProbability' option to 'mode' must be a double between 0 and 1");
  }
  const p = toDouble(value);
  if (!(p >= 0 && p <= 1)) throw fail('BadValue', `activationProbability must be between 0.0 and 1.0; found ${p}`);
  return p;
};

/** Reads the mode of a fail point. @throws CommandError 2, 14, 20 */
const modeOf = (value: Value | undefined): FailMode => {
  if (value === undefined) throw fail('IllegalOperation', "When setting a failpoint, you must supply a 'mode'");
  if (typeof value === 'string') {
    if (value === 'off' || value === 'alwaysOn') return { kind: value };
    throw fail('BadValue', `unknown mode: ${value}`);
  }
  if (!isDoc(value)) throw fail('TypeMismatch', "'mode' must be a string or JSON object");
  const [times, skip, chance] = [value.get('times'), value.get('skip'), value.get('activationProbability')];
  if (times !== undefined) return { kind: 'times', count: countOf(times, 'times') };
  if (skip !== undefined) return { kind: 'skip', count: countOf(skip, 'skip') };
  if (chance !== undefined) return { kind: 'random', probability: probabilityOf(chance) };
  throw fail(
    'BadValue',
    "'mode' must be one of 'off', 'alwaysOn', '{times:n}', '{skip:n}' or '{activationProbability:p}'",
  );
};

/** Returns the fail point that the command names. @throws CommandError 266 */
const pointOf = ({ server: { failPoints }, target }: Call): FailPoint => {
  const point = typeof target === 'string' ? failPoints.get(target) : undefined;
  if (point === undefined) {
    throw fail('FailPointSetFailed', `${typeof target === 'string' ? target : typeName(target)} not found`);
  }
  return point;
};

const configure = (call: Call): Fields => {
  const { server, body } = call;
  const point = pointOf(call);
  const mode = modeOf(body.get('mode'));
  const data = body.get('data') ?? Doc.EMPTY;
  if (!isDoc(data) && !isArray(data)) throw fail('TypeMismatch', "the 'data' option must be a JSON object");
  const count = server.failPoints.set(point, mode, isDoc(data) ? detached(data) : Doc.EMPTY);
  server.role.haltReplication(server.failPoints.stopsReplication);
  return [['count', count]];
};

const configureFailPoint = command({
  name: 'configureFailPoint',
  lenient: true,
  adminOnly: true,
  help: 'Sets a fail point.',
  run: configure,
});

const waitForFailPoint = command({
  name: 'waitForFailPoint',
  schema: { timesEntered: required(long()), maxTimeMS: required(integer(0)) },
  adminOnly: true,
  help: 'Waits until a fail point has been active a number of times.',
  run: async (call, { timesEntered, maxTimeMS }): Promise<Fields> => {
    const point = pointOf(call);
    const { engine, client } = call;
    const once = (wake: () => void): (() => void) => point.onEntered(wake);
    const waiting = { clock: engine.clock, signal: client.peer.signal, within: maxTimeMS, once };
    const how = await waitUntil(() => point.entered >= timesEntered, waiting);
    if (how !== 'there') throw fail('MaxTimeMSExpired', 'operation exceeded time limit');
    return [];
  },
});

/** A command outside of the Stable API, for the tests of drivers. */
const testVersion2 = command({
  name: 'testVersion2',
  inVersion2: 'stable',
  help: 'Returns ok. It is not part of API version 1.',
  run: () => [],
});

/** A command that is deprecated in a version of the API, for the tests of drivers. */
const testDeprecationInVersion2 = command({
  name: 'testDeprecationInVersion2',
  stable: true,
  inVersion2: 'deprecated',
  help: 'Returns ok. It is deprecated in API version 2.',
  run: () => [],
});

/** Commands of servers with the option `testCommands`. */
export const testCommands: readonly Command[] = [
  configureFailPoint,
  testDeprecationInVersion2,
  testVersion2,
  waitForFailPoint,
];

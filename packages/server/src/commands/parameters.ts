import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, fail, isDoc } from '@tessera/mql/engine';
import { plain, x509 } from '../auth/login.js';
import { mechanisms } from '../auth/scram.js';
import { unrecognized } from '../engine/parameters.js';
import type { Call, Command, Fields } from './command.js';
import { command } from './command.js';
import { genericSchema } from './generic.js';

/** Parameters that cannot be changed at runtime. */
const fixed: ReadonlyMap<string, (call: Call) => Value> = new Map<string, (call: Call) => Value>([
  ['acceptApiVersion2', ({ server: { testCommands } }) => testCommands],
  ['authenticationMechanisms', ({ server: { auth } }) => [...mechanisms, x509, ...(auth.offersPlain ? [plain] : [])]],
  ['enableTestCommands', ({ server: { testCommands } }) => testCommands],
  [
    'featureCompatibilityVersion',
    ({ engine: { version } }) => Doc.of([['version', `${version.major}.${version.minor}`]]),
  ],
  ['logComponentVerbosity', () => Doc.of([['verbosity', 0]])],
  ['notablescan', () => false],
]);

const valueOf = (call: Call, name: string): Value | undefined => {
  const read = fixed.get(name);
  return read === undefined ? call.engine.parameters.get(name) : read(call);
};

const isFixed = ({ engine: { parameters } }: Call, name: string): boolean =>
  fixed.has(name) || parameters.isFixed(name);

/** Checks that a parameter can be set. @throws CommandError 20, 72 */
const checkSettable = (call: Call, name: string): void => {
  if (valueOf(call, name) === undefined) throw unrecognized(name);
  if (isFixed(call, name)) throw fail('IllegalOperation', `not allowed to change [${name}] at runtime`);
};

/** Whether all parameters are requested: '*', or `{ allParameters: true, showDetails, setAt }`. */
const asksForAll = (target: Value): boolean =>
  target === '*' || (isDoc(target) && target.get('allParameters') === true);

const parameterInfo = (target: Value, value: Value, settable: boolean): Value =>
  isDoc(target) && target.get('showDetails') === true
    ? Doc.of([
        ['value', value],
        ['settableAtRuntime', settable],
        ['settableAtStartup', true],
      ])
    : value;

const getParameter = command({
  name: 'getParameter',
  lenient: true,
  adminOnly: true,
  help: 'Returns parameters by name, or all parameters for "*".',
  run: (call): Fields => {
    const all = asksForAll(call.target);
    const names = [...fixed.keys(), ...call.engine.parameters.names].sort();
    const requested = names.filter(name => all || call.body.has(name));
    if (requested.length === 0) throw fail('InvalidOptions', 'no option found to get');
    return requested.map(name => [name, parameterInfo(call.target, valueOf(call, name)!, !isFixed(call, name))]);
  },
});

const setParameter = command({
  name: 'setParameter',
  lenient: true,
  adminOnly: true,
  help: 'Sets parameters.',
  run: (call): Fields => {
    const given = call.body
      .entries()
      .slice(1)
      .filter(([name]) => !(name in genericSchema));
    const [first] = given;
    if (first === undefined) throw fail('InvalidOptions', 'no option found to set, use help:true to see options ');
    for (const [name] of given) checkSettable(call, name);
    const was = given.map(([name, value]): Entry => ['was', call.engine.parameters.set(name, value)]);
    return was.slice(0, 1);
  },
});

export const parameterCommands: readonly Command[] = [getParameter, setParameter];

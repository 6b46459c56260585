import { expect, test } from 'vitest';
import { differenceOf, isSame } from '../../src/rough/difference.js';
import type { Call, Program } from '../../src/rough/program.js';
import { reasons } from '../../src/rough/reasons.js';

const call = (method: string, ...given: Call['arguments']): Call => ({
  kind: 'call',
  on: 'coll',
  method,
  arguments: given,
  as: `r${method}`,
  wait: 'now',
});
const program: Program = {
  transport: 'plain',
  options: {},
  steps: [call('drop'), call('find', '{}', { limit: 'NaN' }), call('indexes')],
};
const verdict = (...outcomes: string[]) => ({ violations: [], outcomes });
const reasonOf = (difference: ReturnType<typeof differenceOf>) => reasons.find(({ explains }) => explains(difference!));

test('reports the first step that ends differently', () => {
  const here = verdict('ok', 'MongoInvalidArgumentError', 'ok');
  const difference = differenceOf(program, here, verdict('ok', 'ok', 'hang'));
  expect(difference).toMatchObject({ here: 'MongoInvalidArgumentError', there: 'ok' });
  expect(difference!.text).toBe('v.rfind = await v.coll.find({}, { limit: NaN });');
  expect(reasonOf(difference)?.call).toBe('any call with an option or an argument of a wrong type');
});

test('reports the first step if a program ends its process', () => {
  const blocked = { violations: [{ kind: 'blocked', what: '' }] as const, outcomes: [] };
  expect(differenceOf(program, verdict('ok', 'ok', 'ok'), blocked)).toMatchObject({ here: 'ok', there: 'blocked' });
});

test('reports nothing for equal outcomes', () => {
  const same = differenceOf(program, verdict('ok', 'ok', 'ok'), verdict('ok', 'ok', 'ok'));
  expect([same, isSame(same, undefined)]).toEqual([undefined, true]);
});

test('finds no reason for a correct call that only this driver rejects', () => {
  const here = verdict('MongoInvalidArgumentError', 'ok', 'ok');
  expect(reasonOf(differenceOf(program, here, verdict('ok', 'ok', 'ok')))).toBeUndefined();
});

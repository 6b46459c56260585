import { describe, expect, test } from 'vitest';
import { groupsOf } from '../../src/roles/cases.js';
import { readCommandLine } from '../../src/roles/main.js';
import type { Form } from '../../src/roles/table.js';
import { readBuiltIns, readForms } from '../../src/roles/table.js';

const formOf = (needs: string, open = false): Form => ({
  ...{ command: { ping: 1 }, db: 'shop', needs, open },
  on: ['member'],
});

const decisions = (form: Form): readonly (readonly [string, boolean])[] =>
  groupsOf([form], {}).map(({ user, cases }) => [JSON.stringify(user), cases.every(({ allowed }) => allowed)]);

describe('a form', () => {
  test('is tried before login, without roles, and with roles that have each part of its privileges', () => {
    const found = new Map(decisions(formOf('find shop.c, insert shop.d')));
    const custom = (privileges: unknown, inherits = false): string =>
      JSON.stringify({ kind: 'custom', privileges, inherits });
    const [reading, writing] = [
      ['shop.c', ['find']],
      ['shop.d', ['insert']],
    ];
    expect(found.get(JSON.stringify({ kind: 'nobody' }))).toBe(false);
    expect(found.get(JSON.stringify({ kind: 'built-in', roles: [] }))).toBe(false);
    expect(found.get(custom([reading, writing]))).toBe(true);
    expect(found.get(custom([reading, writing], true))).toBe(true);
    expect(found.get(custom([reading]))).toBe(false);
    expect(found.get(custom([writing]))).toBe(false);
    expect([...found.values()].filter(allowed => allowed).length).toBeGreaterThan(5);
  });

  test('that is open is allowed before login', () => {
    expect(decisions(formOf('', true))[0]).toEqual([JSON.stringify({ kind: 'nobody' }), true]);
  });

  test('that must not be readable is also tried with the privilege to read', () => {
    const found = decisions(formOf('create shop.v, !find shop.v'));
    const privileges = [
      ['shop.v', ['create']],
      ['shop.v', ['find']],
    ];
    expect(found).toContainEqual([JSON.stringify({ kind: 'custom', privileges, inherits: false }), false]);
    expect(found.filter(([, allowed]) => allowed).length).toBeGreaterThan(2);
  });
});

test('the table has at least 20,000 cases, and every built-in role has cases of both decisions', () => {
  const groups = groupsOf(readForms(), readBuiltIns());
  expect(groups.reduce((sum, { cases }) => sum + cases.length, 0)).toBeGreaterThan(20_000);
  const roles = groups.filter(({ user }) => user.kind === 'built-in' && user.roles.length > 0);
  expect(roles.length).toBeGreaterThan(25);
  for (const { user, cases } of roles)
    expect([user, new Set(cases.map(({ allowed }) => allowed)).has(true)]).toEqual([user, true]);
});

test('the command line selects a part of the cases with --short', () => {
  expect([readCommandLine(['roles']).short, readCommandLine(['roles', '--short']).short]).toEqual([false, true]);
});

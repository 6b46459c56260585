import { expect, test } from 'vitest';
import type { BuiltIns, Held, Privilege } from '../../src/roles/privileges.js';
import { allows, heldBy } from '../../src/roles/privileges.js';

const holding = (...privileges: readonly Privilege[]): Held => ({ privileges, roles: ['probe@admin'] });

test.each<[resource: string, target: string, isCovered: boolean]>([
  ['cluster', 'cluster', true],
  ['cluster', 'shop', false],
  ['.', 'cluster', false],
  ['*', 'cluster', true],
  ['*', 'shop.system.users', true],
  ['shop.', 'shop', true],
  ['shop.', 'shop.c', true],
  ['shop.', 'shop.system.js', false],
  ['shop.', 'other.c', false],
  ['shop.c', 'shop.c', true],
  ['shop.c', 'shop', false],
  ['shop.c', 'shop.c.d', false],
  ['.c', 'other.c', true],
  ['.c', 'other', false],
  ['.system.js', 'local.system.js', true],
  ['.', 'shop', true],
  ['.', 'shop.c', true],
  ['.', 'local.c', false],
  ['.', 'config', false],
  ['.', '.', true],
  ['shop.', '.', false],
  ['local.', 'local.c', true],
])('a privilege on the resource %j covers the target %j: %j', (resource, target, isCovered) => {
  expect(allows(holding([resource, ['find']]), `find ${target}`)).toBe(isCovered);
  expect(allows(holding([resource, ['anyAction']]), `find ${target}`)).toBe(isCovered);
  expect(allows(holding([resource, ['insert']]), `find ${target}`)).toBe(false);
});

test.each<[needs: string, isMet: boolean]>([
  ['', true],
  ['never', false],
  ['find shop.c, insert shop.d', true],
  ['find shop.c, remove shop.d', false],
  ['remove shop.d | find shop.c', true],
  ['remove shop.d | find shop.e', false],
  ['!remove shop.d', true],
  ['!find shop.c', false],
  ['? shop', true],
  ['? other', false],
  ['= probe@admin', true],
  ['= probe@shop', false],
])('a user who may find in shop.c and insert into shop.d meets %j: %j', (needs, isMet) => {
  expect(allows(holding(['shop.c', ['find']], ['shop.d', ['insert']]), needs)).toBe(isMet);
});

test('a built-in role has the privileges of the roles that it inherits, for its own database', () => {
  const builtIns: BuiltIns = {
    low: { everywhere: true, privileges: { '$.': 'find' } },
    high: { roles: ['low', 'low@config'], privileges: { cluster: 'top inprog' } },
  };
  expect(heldBy(builtIns, 'high@shop')).toEqual({
    privileges: [
      ['cluster', ['top', 'inprog']],
      ['shop.', ['find']],
      ['config.', ['find']],
    ],
    roles: ['high@shop', 'low@shop', 'low@config'],
  });
});

import { Doc } from '@tessera/mql/engine';
import { expect, test } from 'vitest';
import { checkRestrictions } from '../../src/auth/restrictions.js';

const check = (address: string) => () => {
  checkRestrictions([Doc.of([['clientSource', [address]]])]);
};

test.each(['127.0.0.1', '10.0.0.0/8', '::', '::1', '1::', 'fe80::1/64', '1:2:3:4:5:6:7:8', '::ffff:127.0.0.1'])(
  'the address %s is accepted',
  address => {
    expect(check(address)).not.toThrow();
  },
);

test.each([
  '',
  '1',
  '256.0.0.1',
  '1.2.3',
  '10.0.0.0/33',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:',
  ':1::2',
  '1::2:',
])('the address "%s" is rejected', address => {
  expect(check(address)).toThrow(expect.objectContaining({ code: 2 }));
});

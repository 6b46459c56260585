import { expect, test } from 'vitest';
import { addressOf, endpointOf } from '../src/address.js';

test('accepts host:port, [v6]:port and the path of a .sock file', () => {
  expect(endpointOf('db1.example:27017')).toEqual({ host: 'db1.example', port: 27017 });
  expect(endpointOf('127.0.0.1:0')).toEqual({ host: '127.0.0.1', port: 0 });
  expect(endpointOf('[::1]:27017')).toEqual({ host: '::1', port: 27017 });
  expect(endpointOf('/tmp/mongodb-27017.sock')).toEqual({ path: '/tmp/mongodb-27017.sock' });
});

test.each(['localhost', '::1:27017', 'localhost:', 'localhost:65536', ':27017', '/tmp/socket', ''])(
  'rejects an invalid address and describes valid ones: %j',
  address => {
    expect(() => endpointOf(address)).toThrow(`Invalid address '${address}': use host:port`);
  },
);

test('formats an address with the port that was bound', () => {
  expect(addressOf({ host: '::1', port: 0 }, 4711)).toBe('[::1]:4711');
  expect(addressOf({ host: 'localhost', port: 0 }, 4711)).toBe('localhost:4711');
  expect(addressOf({ path: '/tmp/a.sock' }, 0)).toBe('/tmp/a.sock');
});

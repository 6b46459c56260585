import { Long, serialize } from 'bson';
import { expect, test } from 'vitest';
import { readCommand, readRequest } from '../src/null-server/request.js';

const message = (flags: number, ...sections: Uint8Array[]): Buffer => {
  const header = Buffer.alloc(20);
  header.writeInt32LE(20 + sections.reduce((sum, section) => sum + section.length, 0), 0);
  header.writeInt32LE(77, 4);
  header.writeInt32LE(2013, 12);
  header.writeInt32LE(flags, 16);
  return Buffer.concat([header, ...sections]);
};
const body = (document: object): Buffer => Buffer.concat([Buffer.from([0]), serialize(document)]);
const sequence = (name: string, documents: readonly object[]): Buffer => {
  const content = Buffer.concat([Buffer.from(`${name}\0`), ...documents.map(document => serialize(document))]);
  const head = Buffer.alloc(5);
  head[0] = 1;
  head.writeInt32LE(content.length + 4, 1);
  return Buffer.concat([head, content]);
};

test('readRequest returns the name and collection of a command, and the cursor of a getMore', () => {
  const plain = { id: 77, legacy: false, target: '', cursor: 0n, silent: false };
  expect(readRequest(message(0, body({ ping: 1, $db: 'bench' })))).toEqual({ ...plain, command: 'ping' });
  expect(readRequest(message(0, body({ find: 'größe' })))).toEqual({ ...plain, command: 'find', target: 'größe' });
  expect(readRequest(message(2, body({ getMore: Long.fromNumber(5), collection: 'many' })))).toEqual({
    ...plain,
    command: 'getMore',
    cursor: 5n,
    silent: true,
  });
});

test('OP_MSG: readCommand returns document sequences as arrays', () => {
  const documents = [{ a: 1 }, { a: 'two' }];
  const frame = message(0, body({ insert: 'orders' }), sequence('documents', documents));
  expect(readCommand(frame)).toEqual({ insert: 'orders', documents });
});

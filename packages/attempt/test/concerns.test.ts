import { bson } from '@tessera/bson';
import type { Attempt, Document, Operation, Session } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { writeConcerns } from '../src/attempt.js';

type Concerns = Partial<Pick<Operation<unknown>, 'readConcern' | 'writeConcern'>>;

const written = (operation: Concerns, { session, deadline = Infinity }: Partial<Attempt> = {}): Document => {
  const writer = bson.writer();
  writer.begin(0);
  writeConcerns(writer, { session, deadline } as Attempt, operation as Operation<unknown>);
  writer.endBody();
  return bson.read(writer.take()).document();
};

test('writes the concerns of the operation, and nothing for a default or for a command that accepts none', () => {
  const concerns = { readConcern: { level: 'majority' }, writeConcern: { w: 2 } };
  expect(written(concerns)).toEqual(concerns);
  expect(written({ readConcern: undefined, writeConcern: undefined })).toEqual({});
  expect(written({ readConcern: 'none' })).toEqual({});
});

test('writes the concerns that the session returns', () => {
  const session = {
    readConcern: () => ({ level: 'snapshot' }),
    writeConcern: () => undefined,
  } as unknown as Session;
  expect(written({ readConcern: 'none', writeConcern: { w: 2 } }, { session })).toEqual({
    readConcern: { level: 'snapshot' },
  });
});

test('Client Side Operations Timeout, "Validation and Overrides": omits wtimeout if timeoutMS is set', () => {
  const timed = (writeConcern: Document): Document => written({ writeConcern }, { deadline: 1000 });
  expect(timed({ w: 2, wtimeout: 5 })).toEqual({ writeConcern: { w: 2 } });
  expect(timed({ w: 2 })).toEqual({ writeConcern: { w: 2 } });
  expect(timed({ wtimeout: 5 })).toEqual({});
  expect(written({ writeConcern: { wtimeout: 5 } })).toEqual({ writeConcern: { wtimeout: 5 } });
});

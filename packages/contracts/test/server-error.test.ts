import { MongoError, serverError, writeConcernError } from '@tessera/contracts';
import type { Document } from '@tessera/contracts';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';

const a = 'a:27017';

describe('the error of a reply', () => {
  const origin = { phase: 'command', sent: true, address: a } as const;
  const fieldsOf = (error: MongoError) => {
    const { kind, message, code, codeName, labels } = error;
    return { kind, message, code, codeName, labels, reply: error.reply, origin: error.origin };
  };

  test("has the server's message, code, labels and whole reply", () => {
    const document = { ok: 0, errmsg: 'no', $err: 'old', code: 13, codeName: 'Unauthorized', errorLabels: ['X', 5] };
    expect(fieldsOf(serverError(document, origin))).toEqual({
      ...{ kind: 'server', message: 'no', code: 13, codeName: 'Unauthorized', labels: ['X'] },
      ...{ reply: document, origin },
    });
  });

  test('has no value for a field that is missing or has an unexpected type', () => {
    const ofDocument = (document: Document) => {
      const { message, code, codeName, labels } = serverError(document, origin);
      return [message, code, codeName, labels];
    };
    expect(ofDocument({ $err: 'old' })).toEqual(['old', undefined, undefined, []]);
    expect(ofDocument({ errmsg: 5, code: null, codeName: 5, errorLabels: 'X' })).toEqual([
      'the server gave no reason',
      ...[undefined, undefined, []],
    ]);
    expect(ofDocument({ errmsg: 'no', code: Long.fromNumber(91) })).toEqual(['no', 91, undefined, []]);
  });

  test('reports an unsatisfied write concern, with its code', () => {
    const document = { ok: 1, writeConcernError: { errmsg: 'recovering', code: 91, codeName: 'ShutdownInProgress' } };
    expect(fieldsOf(writeConcernError(document, origin))).toEqual({
      ...{
        kind: 'server',
        message: 'The write concern was not satisfied: recovering',
        code: 91,
        codeName: 'ShutdownInProgress',
        labels: [],
      },
      ...{ reply: document, origin },
    });
    const { message, code } = writeConcernError({ ok: 1 }, origin);
    expect([message, code]).toEqual(['The write concern was not satisfied: the server gave no reason', undefined]);
  });
});

import { MongoError, serverError, writeConcernError } from '@tessera/contracts';
import type { Document } from '@tessera/contracts';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';

const a = 'a:27017';

describe('what a server refuses becomes an error', () => {
  const origin = { phase: 'command', sent: true, address: a } as const;
  const inShort = (error: MongoError) => {
    const { kind, message, code, codeName, labels } = error;
    return { kind, message, code, codeName, labels, reply: error.reply, origin: error.origin };
  };

  test('in its own words, with its code and labels and the whole reply', () => {
    const document = { ok: 0, errmsg: 'no', $err: 'old', code: 13, codeName: 'Unauthorized', errorLabels: ['X', 5] };
    expect(inShort(serverError(document, origin))).toEqual({
      ...{ kind: 'server', message: 'no', code: 13, codeName: 'Unauthorized', labels: ['X'] },
      ...{ reply: document, origin },
    });
  });

  test('where it says less, so does the error', () => {
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

  test('so does a write concern that was not satisfied', () => {
    const document = { ok: 1, writeConcernError: { errmsg: 'recovering', code: 91, codeName: 'ShutdownInProgress' } };
    expect(inShort(writeConcernError(document, origin))).toEqual({
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

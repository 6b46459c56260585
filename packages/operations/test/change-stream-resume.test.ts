import { describe, expect, test } from 'vitest';
import type { ErrorKind, Phase } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import {
  afterBatch,
  afterChange,
  isTimeout,
  reactionTo,
  resumeOptions,
  startingPosition,
} from '../src/change-stream-resume.js';
import type { ReceivedBatch, Position, Reaction } from '../src/change-stream-resume.js';

const server = (code: number, ...labels: readonly string[]): MongoError =>
  new MongoError('server', 'no', { code, labels });
const of = (kind: ErrorKind): MongoError => new MongoError(kind, 'no');
const getMore = (error: unknown, wireVersion = 25): Reaction =>
  reactionTo({ error, command: 'getMore', wireVersion, isTimeout: false });

describe('Change Streams, "Resumable Error"', () => {
  test.each(['network', 'timeout', 'selection', 'pool', 'protocol'] as const)(
    'resumes after an error of kind %s',
    kind => {
      expect(getMore(of(kind))).toBe('resume');
    },
  );

  test.each(['usage', 'closed', 'aborted'] as const)(
    'ends the stream after an error that the caller caused: %s',
    kind => {
      expect(getMore(of(kind))).toBe('end');
    },
  );

  test('ends the stream after an error that is not a MongoError', () => {
    expect(getMore(new TypeError('no'))).toBe('end');
  });

  test.each([3, 8, 9, 25])('resumes after CursorNotFound on any server: wire version %d', wireVersion => {
    expect(getMore(server(43), wireVersion)).toBe('resume');
  });

  test('from wire version 9 on, resumes by the label, not by the code', () => {
    expect(getMore(server(234), 9)).toBe('end');
    expect(getMore(server(280, 'ResumableChangeStreamError'), 9)).toBe('resume');
  });

  test.each([6, 7, 89, 91, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436, 63, 150, 13_388, 234, 133])(
    'before wire version 9, resumes after code %d',
    code => {
      expect(getMore(server(code), 8)).toBe('resume');
    },
  );

  test('before wire version 9, does not resume by the label or after other codes', () => {
    expect(getMore(server(280, 'ResumableChangeStreamError'), 8)).toBe('end');
    expect(getMore(server(11_601), 8)).toBe('end');
    expect(reactionTo({ error: server(6), command: 'getMore', wireVersion: undefined, isTimeout: false })).toBe(
      'resume',
    );
  });

  test('does not resume after an error of aggregate', () => {
    const failure = { command: 'aggregate', wireVersion: 25, isTimeout: false } as const;
    expect(reactionTo({ ...failure, error: of('network') })).toBe('end');
    expect(reactionTo({ ...failure, error: server(6, 'ResumableChangeStreamError') })).toBe('end');
  });

  test.each(['aggregate', 'getMore'] as const)(
    'Client Side Operations Timeout, "Change Streams": keeps the stream open after a timeout of %s',
    command => {
      expect(reactionTo({ error: of('timeout'), command, wireVersion: 25, isTimeout: true })).toBe('later');
    },
  );
});

describe('Change Streams, "startAtOperationTime"', () => {
  const start = startingPosition({});
  const batch: ReceivedBatch = {
    length: 0,
    postBatchResumeToken: undefined,
    operationTime: 5,
    wireVersion: 7,
    isFirst: true,
  };

  test('keeps the operationTime of the first reply, since MongoDB 4.0 and without another position', () => {
    expect(afterBatch(start, batch).operationTime).toBe(5);
    for (const more of [{ wireVersion: 6 }, { isFirst: false }, { length: 1 }, { postBatchResumeToken: 1 }])
      expect(afterBatch(start, { ...batch, ...more }).operationTime).toBeUndefined();
    expect(afterBatch({ ...start, token: 1 }, batch).operationTime).toBeUndefined();
    expect(afterBatch({ ...start, operationTime: 3 }, batch).operationTime).toBe(3);
  });

  test('sends the time when the stream resumes, to servers that support it', () => {
    const position = { ...start, operationTime: 5 };
    expect([resumeOptions(position, 7), resumeOptions(position, 6)]).toEqual([{ startAtOperationTime: 5 }, {}]);
  });
});

describe('Client Side Operations Timeout: isTimeout', () => {
  const within = (phase: Phase): MongoError =>
    new MongoError('timeout', 'no', { origin: { phase, sent: true, address: 'db1:27017' } });

  test.each<readonly [what: string, error: unknown, deadline: number, now: number, expected: boolean]>([
    ['nothing, without timeoutMS', of('timeout'), Infinity, 9, false],
    ['a command that was not answered', within('command'), 10, 9, true],
    ['a command that was not sent, for want of time', of('timeout'), 10, 9, true],
    ['not a connect that took too long, while there is time', within('connect'), 10, 9, false],
    ['a connect at the end of the time', within('connect'), 10, 10, true],
    ['a selection at the end of the time', of('selection'), 10, 10, true],
    ['not a selection before', of('selection'), 10, 9, false],
    ['MaxTimeMSExpired of the server', server(50), 10, 9, true],
    ['no other error of the server, however late', server(6), 10, 11, false],
    ['not the closing of the client', of('closed'), 10, 11, false],
    ['not what somebody else threw', new TypeError('no'), 10, 11, false],
  ])('%s', (_, error, deadline, now, expected) => {
    expect(isTimeout(error, deadline, now)).toBe(expected);
  });
});

const none: Position = { token: undefined, batchToken: undefined, operationTime: undefined, isAfterStart: false };
const empty: ReceivedBatch = {
  length: 0,
  postBatchResumeToken: undefined,
  operationTime: 'now',
  wireVersion: 25,
  isFirst: true,
};

describe('Change Streams, "Updating the Cached Resume Token"', () => {
  test('caches startAfter, else resumeAfter, when the stream starts', () => {
    expect(startingPosition({ startAfter: 's', resumeAfter: 'r' })).toEqual({
      ...none,
      token: 's',
      isAfterStart: true,
    });
    expect(startingPosition({ resumeAfter: 'r' })).toEqual({ ...none, token: 'r' });
    expect(startingPosition({ startAtOperationTime: 't' })).toEqual({ ...none, operationTime: 't' });
    expect(startingPosition({ startAfter: null, resumeAfter: null, startAtOperationTime: null })).toEqual(none);
  });

  test('caches the postBatchResumeToken of an empty batch', () => {
    expect(afterBatch(none, { ...empty, postBatchResumeToken: 'p' })).toEqual({ ...none, token: 'p', batchToken: 'p' });
  });

  test('keeps the cached token after a batch with documents or without a token', () => {
    const position = startingPosition({ resumeAfter: 'r' });
    expect(afterBatch(position, { ...empty, length: 1, postBatchResumeToken: 'p' }).token).toBe('r');
    expect(afterBatch(position, empty).token).toBe('r');
  });

  test('caches the _id of each document, and the postBatchResumeToken after the last of its batch', () => {
    const position = afterBatch(none, { ...empty, length: 2, postBatchResumeToken: 'p' });
    expect(afterChange(position, 'a', 1).token).toBe('a');
    expect(afterChange(afterChange(position, 'a', 1), 'b', 0).token).toBe('p');
    expect(afterChange(afterBatch(none, { ...empty, length: 1 }), 'a', 0).token).toBe('a');
  });
});

describe('Change Streams, "startAtOperationTime"', () => {
  test('keeps the operationTime of an empty first reply if no start option is set', () => {
    expect(afterBatch(none, empty).operationTime).toBe('now');
    expect(afterBatch(none, { ...empty, isFirst: false }).operationTime).toBeUndefined();
    expect(afterBatch(none, { ...empty, length: 1 }).operationTime).toBeUndefined();
    expect(afterBatch(none, { ...empty, wireVersion: 6 }).operationTime).toBeUndefined();
    expect(afterBatch(none, { ...empty, postBatchResumeToken: 'p' }).operationTime).toBeUndefined();
    expect(afterBatch(startingPosition({ resumeAfter: 'r' }), empty).operationTime).toBeUndefined();
    expect(afterBatch(startingPosition({ startAtOperationTime: 't' }), empty).operationTime).toBe('t');
  });
});

describe('Change Streams, "Resume Process"', () => {
  test('sends a cached token as resumeAfter, or as startAfter before the first document was returned', () => {
    const started = startingPosition({ startAfter: 's' });
    expect(resumeOptions(started, 25)).toEqual({ startAfter: 's' });
    expect(resumeOptions(afterBatch(started, { ...empty, postBatchResumeToken: 'p' }), 25)).toEqual({
      startAfter: 'p',
    });
    expect(resumeOptions(afterChange(started, 'a', 0), 25)).toEqual({ resumeAfter: 'a' });
    expect(resumeOptions({ ...none, token: 'r', operationTime: 't' }, 25)).toEqual({ resumeAfter: 'r' });
  });

  test('sends the saved time if there is no token, to servers that support it', () => {
    expect(resumeOptions({ ...none, operationTime: 't' }, 7)).toEqual({ startAtOperationTime: 't' });
    expect(resumeOptions({ ...none, operationTime: 't' }, 6)).toEqual({});
    expect(resumeOptions(none, 25)).toEqual({});
  });
});

import { expect, test } from 'vitest';
import { caseOf } from '../../src/fuzz/cases.js';
import { readCorpus } from '../../src/fuzz/corpus/corpus.js';
import { judgeReply } from '../../src/fuzz/judge.js';
import { int32, text } from '../../src/fuzz/bson/make.js';
import { readNodes } from '../../src/fuzz/bson/node.js';
import { envelope, messageOf, readMessage, writeMessage } from '../../src/fuzz/message.js';

const corpus = readCorpus();

test('decodes and encodes recorded messages without a change, except for compression', () => {
  const plain = corpus.frames.filter(frame => frame.readInt32LE(12) === 2013);
  expect(plain.length).toBeGreaterThan(50);
  for (const frame of plain) expect(writeMessage(readMessage(frame)!)).toEqual(frame);
});

test('the same seed and number give the same frames, and another number gives other frames', () => {
  const frames = (seed: number, number: number): readonly string[] =>
    caseOf(seed, number, corpus).frames.map(frame => frame.toString('hex'));
  expect(frames(3, 14)).toEqual(frames(3, 14));
  expect(frames(3, 14)).not.toEqual(frames(3, 15));
});

test('most frames are messages with a valid document', () => {
  const sent = Array.from({ length: 200 }, (_, number) => caseOf(1, number, corpus)).flatMap(({ frames }) => frames);
  const readable = sent.filter(frame => {
    try {
      return frame.readInt32LE(12) === 2013 && readNodes(frame, 21).length > 0;
    } catch {
      return false;
    }
  });
  expect(readable.length).toBeGreaterThan(sent.length / 2);
});

const reply = (...nodes: Parameters<typeof messageOf>[1]): Buffer => writeMessage(messageOf(1, nodes));

test.each([
  ['is valid', reply(int32('ok', 1)), undefined],
  ['is an error', reply(int32('ok', 0), text('errmsg', 'no'), int32('code', 59)), undefined],
  ['is valid and compressed', envelope(reply(int32('ok', 1))), undefined],
  [
    'has a regular expression with unknown options',
    reply(int32('ok', 1), { type: 3, name: 'a', value: [{ type: 11, name: 'r', value: Buffer.from('a.b\0qi\0') }] }),
    undefined,
  ],
  ['has no ok field', reply(int32('n', 1)), 'reply'],
  ['is an error without a code', reply(int32('ok', 0), text('errmsg', 'no')), 'reply'],
  ['is truncated', reply(int32('ok', 1)).subarray(0, -3), 'reply'],
  [
    'is an internal error',
    reply(int32('ok', 0), text('errmsg', 'Internal server error: x'), int32('code', 1)),
    'defect',
  ],
] as const)('judgeReply checks a reply that %s', (_title, frame, kind) => {
  expect(judgeReply(frame)?.kind).toBe(kind);
});

import { expect, test } from 'vitest';
import { drawProgram } from '../../src/rough/draw.js';
import type { Program } from '../../src/rough/program.js';
import { textOf } from '../../src/rough/program.js';
import { simpler } from '../../src/rough/simpler.js';
import { shrink } from '../../src/shrink.js';

test('the same seed draws the same program', () => {
  expect(drawProgram(7)).toEqual(drawProgram(7));
});

test('shrinks a program to the call and the option that fail', async () => {
  const call = (method: string, options: Record<string, string>) =>
    ({ kind: 'call', on: 'coll', method, arguments: ['{}', options], as: 'r0', wait: 'later' }) as const;
  const program: Program = {
    transport: 'tls',
    options: { maxPoolSize: '1' },
    fault: { commands: ['find'], times: 1, data: { errorCode: 91 } },
    steps: [call('insertOne', {}), { kind: 'abort', signal: 0 }, call('find', { skip: '1', limit: 'NaN' })],
  };
  const smallest = await shrink(program, simpler, async candidate => textOf(candidate).includes('limit: NaN'), 100);
  expect(textOf(smallest)).toBe(
    '// plain\nv.client = new MongoClient(uri, {});\nv.r0 = await v.coll.find({}, { limit: NaN });\nawait v.client.close();',
  );
});

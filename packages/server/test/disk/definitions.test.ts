import { Doc } from '@tessera/mql/engine';
import { expect, test } from 'vitest';
import { definitionsOf } from '../../src/disk/definitions.js';
import { testEngine, world } from '../client.js';

test('a file keeps a lenient validator with keywords of encryption, which commands refuse', async () => {
  const engine = testEngine();
  const schema = Doc.of([['properties', Doc.of([['a', Doc.of([['encrypt', Doc.EMPTY]])]])]]);
  const options = Doc.of([
    ['validator', Doc.of([['$jsonSchema', schema]])],
    ['validationLevel', 'moderate'],
  ]);
  expect(definitionsOf(engine).validator(options)).toMatchObject({ level: 'moderate' });

  const { client } = world();
  const lenient = {
    validator: { $jsonSchema: { properties: { a: { encrypt: {} } } } },
    validationLevel: 'moderate',
  };
  expect(await client.plain({ create: 'c', ...lenient })).toMatchObject({ ok: 0, code: 224 });
  await client.plain({ create: 'c' });
  expect(await client.plain({ collMod: 'c', ...lenient })).toMatchObject({ ok: 0, code: 224 });
});

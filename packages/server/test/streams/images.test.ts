import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Row, World } from '../client.js';
import { kinds, refusal, set, watch } from './stream.js';

const images = { changeStreamPreAndPostImages: { enabled: true } };

const keeping = async (version = '8.2.1'): Promise<World> => {
  const world = set({ version });
  expect(await world.client.plain({ create: 'c', ...images })).toMatchObject({ ok: 1 });
  await world.client.plain({ insert: 'c', documents: [{ _id: 1, a: 1 }] });
  return world;
};

const notKeeping = async (): Promise<World> => {
  const world = set();
  await world.client.plain({ insert: 'c', documents: [{ _id: 1, a: 1 }] });
  return world;
};

const update = (a: number): Document => ({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a } } }] });
const remove = { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] };

const imagesOf = (events: readonly Row[]): readonly unknown[] =>
  events.map(({ fullDocument, fullDocumentBeforeChange }) => ({ fullDocument, fullDocumentBeforeChange }));

describe('fullDocument', () => {
  test('updateLookup returns the current document, or null if it was deleted', async () => {
    const world = await notKeeping();
    const stream = await watch(world, { fullDocument: 'updateLookup' });
    for (const a of [2, 3]) await world.client.plain(update(a));
    expect(imagesOf(await stream.more())).toEqual([
      { fullDocument: { _id: 1, a: 3 } },
      { fullDocument: { _id: 1, a: 3 } },
    ]);
    await world.client.plain(update(4));
    await world.client.plain(remove);
    expect(imagesOf(await stream.more())).toEqual([{ fullDocument: null }, {}]);
  });

  test('updateLookup does not return a document of a new collection with the same name', async () => {
    const world = await notKeeping();
    const stream = await watch(world, { fullDocument: 'updateLookup' }, { of: 1 });
    await world.client.plain(update(2));
    await world.client.plain({ drop: 'c' });
    await world.client.plain({ insert: 'c', documents: [{ _id: 1, other: true }] });
    expect((await stream.more())[0]).toMatchObject({ operationType: 'update', fullDocument: null });
  });

  test.each(['whenAvailable', 'required'])('%s returns the document after the update', async fullDocument => {
    const world = await keeping();
    const stream = await watch(world, { fullDocument });
    for (const a of [2, 3]) await world.client.plain(update(a));
    await world.client.plain(remove);
    expect(imagesOf(await stream.more())).toEqual([
      { fullDocument: { _id: 1, a: 2 } },
      { fullDocument: { _id: 1, a: 3 } },
      {},
    ]);
  });

  test('without stored images, whenAvailable returns null, and required fails with code 47', async () => {
    const world = await notKeeping();
    const [available, required] = [
      await watch(world, { fullDocument: 'whenAvailable' }),
      await watch(world, { fullDocument: 'required' }),
    ];
    await world.client.plain(update(2));
    expect(imagesOf(await available.more())).toEqual([{ fullDocument: null }]);
    expect(await required.failure()).toMatchObject({
      code: 47,
      codeName: 'NoMatchingDocument',
      errmsg: expect.stringMatching(
        /^Change stream was configured to require a post-image for all update events, but the post-image was not found for event: \{ _id: /,
      ) as string,
    });
  });
});

describe('fullDocumentBeforeChange', () => {
  test.each(['whenAvailable', 'required'])(
    '%s returns the document before the change',
    async fullDocumentBeforeChange => {
      const world = await keeping();
      const stream = await watch(world, { fullDocumentBeforeChange });
      await world.client.plain({ insert: 'c', documents: [{ _id: 2 }] });
      await world.client.plain(update(2));
      await world.client.plain({ update: 'c', updates: [{ q: { _id: 1 }, u: { b: 1 } }] });
      await world.client.plain(remove);
      expect(imagesOf(await stream.more())).toEqual([
        { fullDocument: { _id: 2 } },
        { fullDocumentBeforeChange: { _id: 1, a: 1 } },
        { fullDocument: { _id: 1, b: 1 }, fullDocumentBeforeChange: { _id: 1, a: 2 } },
        { fullDocumentBeforeChange: { _id: 1, b: 1 } },
      ]);
    },
  );

  test('off is the default', async () => {
    const world = await keeping();
    const stream = await watch(world, { fullDocumentBeforeChange: 'off' });
    await world.client.plain(remove);
    expect((await stream.more())[0]).not.toHaveProperty('fullDocumentBeforeChange');
  });

  test('without stored images, whenAvailable returns null, and required fails with code 47 except for inserts', async () => {
    const world = await notKeeping();
    const [available, required] = [
      await watch(world, { fullDocumentBeforeChange: 'whenAvailable' }),
      await watch(world, { fullDocumentBeforeChange: 'required' }),
    ];
    await world.client.plain({ insert: 'c', documents: [{ _id: 2 }] });
    expect(kinds(await required.more())).toEqual(['insert']);
    await world.client.plain(remove);
    expect(imagesOf(await available.more())).toEqual([
      { fullDocument: { _id: 2 } },
      { fullDocumentBeforeChange: null },
    ]);
    expect(await required.failure()).toMatchObject({ code: 47 });
  });
});

test('collMod turns images on and off for later writes', async () => {
  const world = await notKeeping();
  const stream = await watch(world, { fullDocumentBeforeChange: 'whenAvailable' });
  await world.client.plain(update(2));
  await world.client.plain({ collMod: 'c', ...images });
  await world.client.plain(update(3));
  await world.client.plain({ collMod: 'c', changeStreamPreAndPostImages: { enabled: false } });
  await world.client.plain(update(4));
  expect(imagesOf(await stream.more())).toEqual([
    { fullDocumentBeforeChange: null },
    { fullDocumentBeforeChange: { _id: 1, a: 2 } },
    { fullDocumentBeforeChange: null },
  ]);
});

test('versions before 6.0 reject changeStreamPreAndPostImages', async () => {
  const { client } = set({ version: '5.0.0' });
  expect(await client.refusal({ create: 'c', ...images })).toMatch(/^40415 /);
  await client.plain({ create: 'c' });
  expect(await client.refusal({ collMod: 'c', ...images })).toMatch(/^40415 /);
});

test('changeStreamPreAndPostImages accepts only a boolean enabled', async () => {
  const { client } = set();
  const refused = (option: Document): Promise<string> =>
    client.refusal({ create: 'c', changeStreamPreAndPostImages: option });
  expect(await refused({})).toMatch(/^40414 BSON field 'create.changeStreamPreAndPostImages.enabled' is missing/);
  expect(await refused({ enabled: true, more: 1 })).toMatch(/^40415 /);
  expect(await refused({ enabled: 'yes' })).toMatch(/^14 /);
});

describe('an event above 16 MB', { timeout: 30_000 }, () => {
  const size = 8.5 * 1024 * 1024;
  const pipeline = [{ $changeStreamSplitLargeEvent: {} }];
  const options = { fullDocumentBeforeChange: 'required' };

  const changed = async (version?: string): Promise<World> => {
    const world = await keeping(version);
    await world.client.plain({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 'q'.repeat(size) } } }] });
    return world;
  };

  const changeAgain = ({ client }: World): Promise<unknown> =>
    client.plain({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 'z'.repeat(size) } } }] });

  test('fails the stream with code 10334', async () => {
    const world = await changed();
    const stream = await watch(world, options);
    await changeAgain(world);
    expect(await stream.failure()).toMatchObject({ code: 10334, codeName: 'BSONObjectTooLarge' });
  });

  test('is split by $changeStreamSplitLargeEvent, and each fragment has a token to resume after', async () => {
    const world = await changed();
    const stream = await watch(world, options, { pipeline });
    await changeAgain(world);
    await world.client.plain({ insert: 'c', documents: [{ _id: 2 }] });
    const [first, ...rest] = [...(await stream.more()), ...(await stream.more())];
    const [second, third] = rest;
    expect([first, second].map(part => part!['splitEvent'])).toEqual([
      { fragment: 1, of: 2 },
      { fragment: 2, of: 2 },
    ]);
    expect([first, second].map(part => Object.keys(part!))).toEqual([
      [
        '_id',
        'splitEvent',
        'wallTime',
        'clusterTime',
        'operationType',
        'documentKey',
        'ns',
        'fullDocumentBeforeChange',
      ],
      ['_id', 'splitEvent', 'updateDescription'],
    ]);
    expect(third).toMatchObject({ operationType: 'insert' });
    const tokens = [first, second, third].map(part => (part!._id as { _data: string })._data);
    expect(tokens).toEqual([...new Set(tokens)].sort());
    const again = await watch(world, { ...options, resumeAfter: first!._id }, { pipeline });
    expect(again.first).toEqual([second, third]);
    expect(await refusal(world, { resumeAfter: first!._id }, { pipeline })).toMatch(
      /^280 .*not large enough to be split/,
    );
  });

  test('is split from versions 6.0.9 and 7.0 on, by a last stage without options', async () => {
    expect(await refusal(set({ version: '6.0.0' }), {}, { pipeline })).toMatch(/^40324 /);
    for (const version of ['6.0.9', '7.0.0']) expect((await watch(set({ version }), {}, { pipeline })).open).toBe(true);
    expect(await refusal(set(), {}, { pipeline: [...pipeline, { $match: {} }] })).toMatch(/^7182802 /);
    expect(await refusal(set(), {}, { pipeline: [{ $changeStreamSplitLargeEvent: { a: 1 } }] })).toMatch(/^7182800 /);
    expect(await set().client.refusal({ aggregate: 'c', pipeline, cursor: {} })).toMatch(/^20 /);
  });
});

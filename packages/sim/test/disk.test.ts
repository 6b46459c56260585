import type { Folder } from '@tessera/contracts';
import { createDisk, createWorld, filesSuite } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe('the simulated disk fulfils the contract of Files', () => {
  for (const seed of [1, 2, 3]) {
    const world = createWorld({ turn }, { seed });
    const disk = createDisk({ clock: world.runtime.clock, chance: world.chance });
    let paths = 0;
    const crash = (): void => disk.crash();
    for (const { name, run } of filesSuite({ files: disk, freshPath: () => `/data/${paths++}`, crash }))
      test(`seed ${seed}: ${name}`, () => world.run(run));
  }
});

/** Returns the suite's result for a disk that does not sync. */
const complaint = async (seed: number): Promise<string> => {
  const world = createWorld({ turn }, { seed });
  const disk = createDisk({ clock: world.runtime.clock, chance: world.chance });
  const forgetful = {
    openFolder: async (path: string): Promise<Folder> => {
      const folder = await disk.openFolder(path);
      return {
        ...folder,
        openFile: async name => ({ ...(await folder.openFile(name)), sync: () => Promise.resolve() }),
      };
    },
  };
  const suite = filesSuite({ files: forgetful, freshPath: () => '/data', crash: () => disk.crash() });
  const sync = suite.find(({ name }) => name.startsWith('OpenFile.sync'))!;
  return world.run(sync.run).then(
    () => '',
    (error: unknown) => String(error),
  );
};

test('the suite detects files that lose synced data', async () => {
  const complaints = await Promise.all([1, 2, 3, 4, 5].map(complaint));
  expect(complaints.join('\n')).toContain('what was synced: expected');
});

/** Returns what a crash leaves of the synced bytes 1, 2, 3 and an unsynced page of fours. */
const leftAfterCrash = async (seed: number): Promise<Uint8Array> => {
  const world = createWorld({ turn }, { seed });
  const disk = createDisk({ clock: world.runtime.clock, chance: world.chance });
  return world.run(async () => {
    const file = await (await disk.openFolder('/data')).openFile('a');
    await file.append(Uint8Array.of(1, 2, 3));
    await file.sync();
    await file.append(new Uint8Array(600).fill(4));
    disk.crash();
    const again = await (await disk.openFolder('/data')).openFile('a');
    return again.read(0, await again.size());
  });
};

test('a crash leaves synced data and, depending on the seed, none, a part or all of the unsynced data, or random bytes', async () => {
  const lengths = new Set<number>();
  let rubbish = 0;
  for (let seed = 0; seed < 60; seed++) {
    const left = await leftAfterCrash(seed);
    expect([...left.subarray(0, 3)]).toEqual([1, 2, 3]);
    lengths.add(left.length);
    if (left.subarray(3).some(byte => byte !== 4)) rubbish += 1;
  }
  expect(lengths.size).toBeGreaterThan(10);
  expect(lengths).toContain(3);
  expect(lengths).toContain(603);
  expect(rubbish).toBeGreaterThan(3);
});

test('the same seed leaves the same data', async () => {
  expect(await leftAfterCrash(7)).toEqual(await leftAfterCrash(7));
});

test('a full disk accepts what fits and fails as full', async () => {
  const world = createWorld({ turn });
  const disk = createDisk({ clock: world.runtime.clock, chance: world.chance }, { capacity: 2 });
  await world.run(async () => {
    const file = await (await disk.openFolder('/data')).openFile('a');
    await expect(file.append(Uint8Array.of(1, 2, 3))).rejects.toMatchObject({ trouble: 'full' });
    expect(await file.size()).toBe(2);
    disk.capacity = 10;
    await file.append(Uint8Array.of(4));
    expect([...(await file.read(0, 10))]).toEqual([1, 2, 4]);
  });
});

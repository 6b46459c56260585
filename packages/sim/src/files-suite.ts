import type { FileTrouble, Files, Folder, OpenFile } from '@tessera/contracts';
import { expectEqual, expectTrue } from './case.js';
import type { ContractCase } from './case.js';

export interface FilesSuiteDeps {
  readonly files: Files;
  /** Returns a path at which nothing exists, a new one each time. Only its parent must exist. */
  readonly freshPath: () => string;
  /** Drops unsynced data, if the environment can. */
  readonly crash?: (() => void) | undefined;
}

const bytesOf = (...bytes: readonly number[]): Uint8Array => Uint8Array.from(bytes);

const contentOf = async (file: OpenFile): Promise<Uint8Array> => file.read(0, await file.size());

const expectTrouble = async (promise: Promise<unknown>, trouble: FileTrouble, what: string): Promise<Error> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expectTrue(error instanceof Error, `${what}: an Error`);
  expectEqual((error as { readonly trouble?: unknown }).trouble, trouble, what);
  return error;
};

/** Returns the cases of {@link Files}. In a simulated world, run each case with `world.run`. */
export const filesSuite = ({ files, freshPath, crash }: FilesSuiteDeps): readonly ContractCase[] => {
  const one = (name: string, run: () => Promise<void>): ContractCase => ({ name, run });

  const inFolder = async <T>(path: string, use: (folder: Folder) => Promise<T>): Promise<T> => {
    const folder = await files.openFolder(path);
    const result = await use(folder);
    await folder.close();
    return result;
  };

  const inFile = async <T>(folder: Folder, name: string, use: (file: OpenFile) => Promise<T>): Promise<T> => {
    const file = await folder.openFile(name);
    const result = await use(file);
    await file.close();
    return result;
  };

  const readAll = (path: string, name: string): Promise<Uint8Array> =>
    inFolder(path, folder => inFile(folder, name, contentOf));

  const cases: ContractCase[] = [
    one('Files.openFolder: creates a missing folder, which is empty', () =>
      inFolder(freshPath(), async folder => {
        expectEqual(await folder.list(), [], 'what is in it');
      }),
    ),
    one('Files.openFolder: a folder is locked until it is closed', async () => {
      const path = freshPath();
      const folder = await files.openFolder(path);
      const error = await expectTrouble(files.openFolder(path), 'taken', 'a second one');
      expectTrue(error.message.includes(path), 'the message says which folder');
      await folder.close();
      await inFolder(path, () => Promise.resolve());
    }),
    one('Files.openFolder: only one of several simultaneous calls succeeds', async () => {
      const path = freshPath();
      const all = await Promise.allSettled([1, 2, 3, 4].map(() => files.openFolder(path)));
      const opened = all.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      expectEqual(opened.length, 1, 'how many got it');
      await opened[0]!.close();
    }),
    one('Folder.openFile: creates a missing file, which is empty, and lists it', () =>
      inFolder(freshPath(), async folder => {
        expectEqual(await inFile(folder, 'a', file => file.size()), 0, 'its size');
        expectEqual(await folder.list(), ['a'], 'what is in the folder');
      }),
    ),
    one(
      'OpenFile.append: adds bytes at the end, also after the file is opened again; any range can be read',
      async () => {
        const path = freshPath();
        await inFolder(path, async folder => {
          await inFile(folder, 'a', async file => {
            await file.append(bytesOf(1, 2, 3));
            await file.append(bytesOf(4, 5));
            expectEqual(await file.size(), 5, 'its size');
          });
          await inFile(folder, 'a', file => file.append(bytesOf(6)));
        });
        await inFolder(path, folder =>
          inFile(folder, 'a', async file => {
            expectEqual(await contentOf(file), bytesOf(1, 2, 3, 4, 5, 6), 'all of it');
            expectEqual(await file.read(2, 3), bytesOf(3, 4, 5), 'its middle');
            expectEqual(await file.read(4, 100), bytesOf(5, 6), 'its end');
            expectEqual(await file.read(6, 1), bytesOf(), 'behind its end');
          }),
        );
      },
    ),
    one('OpenFile.truncate: removes the bytes after the length, and the next bytes are appended there', () =>
      inFolder(freshPath(), folder =>
        inFile(folder, 'a', async file => {
          await file.append(bytesOf(1, 2, 3));
          await file.truncate(1);
          expectEqual(await file.size(), 1, 'its size');
          await file.append(bytesOf(9));
          expectEqual(await contentOf(file), bytesOf(1, 9), 'all of it');
        }),
      ),
    ),
    one('Folder.rename: replaces a file of that name, and open files stay open', () =>
      inFolder(freshPath(), async folder => {
        await inFile(folder, 'a', file => file.append(bytesOf(1)));
        const file = await folder.openFile('b');
        await file.append(bytesOf(2));
        await folder.rename('b', 'a');
        await file.append(bytesOf(3));
        await file.close();
        expectEqual(await folder.list(), ['a'], 'what is in the folder');
        expectEqual(await inFile(folder, 'a', contentOf), bytesOf(2, 3), 'what has the name');
      }),
    ),
    one('Folder.remove: removes the file, and does nothing if it does not exist', () =>
      inFolder(freshPath(), async folder => {
        await inFile(folder, 'a', file => file.append(bytesOf(1)));
        await folder.remove('a');
        await folder.remove('a');
        expectEqual(await folder.list(), [], 'what is in the folder');
      }),
    ),
  ];
  if (crash === undefined) return cases;
  return [
    ...cases,
    one('Files.openFolder: a folder whose owner crashed can be opened', async () => {
      const path = freshPath();
      await files.openFolder(path);
      crash();
      await inFolder(path, () => Promise.resolve());
    }),
    one('OpenFile.sync: synced bytes survive a crash; later bytes may be lost', async () => {
      const path = freshPath();
      const folder = await files.openFolder(path);
      const file = await folder.openFile('a');
      await file.append(bytesOf(1, 2, 3));
      await file.sync();
      await file.append(bytesOf(4, 5, 6));
      crash();
      const left = await readAll(path, 'a');
      expectEqual(left.subarray(0, 3), bytesOf(1, 2, 3), 'what was synced');
      expectTrue(left.length <= 6, 'no more is there than was written');
    }),
    one('Folder.rename: survives a crash once it has resolved', async () => {
      const path = freshPath();
      const folder = await files.openFolder(path);
      const file = await folder.openFile('b');
      await file.append(bytesOf(1));
      await file.sync();
      await folder.rename('b', 'a');
      crash();
      expectEqual(await readAll(path, 'a'), bytesOf(1), 'what has the name');
    }),
  ];
};

import type { Folder, OpenFile, Random } from '@tessera/contracts';
import type { DatabaseValue } from '../database.js';
import { emptyDatabase } from '../database.js';
import { UnknownContent } from './change-bytes.js';
import { DataFile, dataName, newDataName, pathOf } from './data-file.js';
import type { Definitions } from './described.js';
import type { FileId } from './frame.js';
import { headerSize, readFileHeader } from './frame.js';
import type { Reading } from './frames-in.js';
import { readCommits } from './frames-in.js';
import { Recovered } from './recovered.js';

/** The content of a folder. */
export interface Opened {
  readonly file: DataFile;
  readonly value: DatabaseValue;
  /** A sentence about a problem that was found and repaired, if any. */
  readonly remark: string | undefined;
}

const begin = async (folder: Folder, random: Random): Promise<Opened> => {
  const file = await DataFile.begin(await folder.openFile(newDataName), random, emptyDatabase);
  await folder.rename(newDataName, dataName);
  await file.renamed(() => folder.openFile(dataName));
  return { file, value: emptyDatabase, remark: undefined };
};

const idOf = async (file: OpenFile, path: string): Promise<FileId> => {
  const header = readFileHeader(await file.read(0, headerSize));
  switch (header.kind) {
    case 'known':
      return header.id;
    case 'later':
      throw new Error(
        `${path} was written by a later version of this package (format ${header.version}). Use that version, or another folder.`,
      );
    case 'unknown':
      throw new Error(
        `${path} is not a data file of this server, or its first ${headerSize} bytes are damaged. Restore a copy of it, or use another folder.`,
      );
  }
};

const damage = (path: string, { commits, end }: Reading, at: number): Error =>
  new Error(
    `${path} is damaged at byte ${at}, and acknowledged commits follow. Nothing was changed. Restore a copy of the file. To continue with its first ${commits} commits and lose the later ones, make a copy and truncate the file: truncate -s ${end} ${path}`,
  );

const remarkOf = (path: string, { end, size, ending }: Reading): string | undefined =>
  ending.kind === 'torn'
    ? `${path}: removed the last ${size - end} bytes, from byte ${end} on, which belong to an incomplete commit. No write that was acknowledged as journaled is lost.`
    : undefined;

const recover = async (folder: Folder, definitions: Definitions): Promise<Opened> => {
  const path = pathOf(folder);
  await folder.remove(newDataName);
  const file = await folder.openFile(dataName);
  const id = await idOf(file, path);
  const recovered = new Recovered();
  try {
    const reading = await readCommits(file, id, contents => recovered.apply(contents));
    if (reading.ending.kind === 'damaged') throw damage(path, reading, reading.ending.at);
    if (reading.commits === 0)
      throw new Error(`${path} ends before its first commit is complete. Restore a copy of it, or use another folder.`);
    const data = DataFile.resume(file, id, reading);
    await data.clean();
    await definitions.prepare(recovered.indexes);
    return { file: data, value: recovered.value(definitions), remark: remarkOf(path, reading) };
  } catch (error) {
    await file.close();
    if (error instanceof UnknownContent) {
      const message = `${path} cannot be read: ${error.message}. Use the version that wrote it, or another folder.`;
      throw new Error(message, { cause: error });
    }
    throw error;
  }
};

/**
 * Reads the data in a folder, or creates the file.
 * @throws FileError, Error with a message that describes what to do
 */
export const openData = async (folder: Folder, random: Random, definitions: Definitions): Promise<Opened> =>
  (await folder.list()).includes(dataName) ? recover(folder, definitions) : begin(folder, random);

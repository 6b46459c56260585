import { extname } from 'node:path';
import { textOf, writtenFiles } from '../docs/repository.js';
import { complaintsOf } from './rules.js';
import { proseOf, sentencesOf } from './sentences.js';
import { passagesOfSource } from './source.js';
import type { Passage } from './source.js';

/** A sentence that should be rewritten. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly place: Passage['place'];
  readonly sentence: string;
  readonly complaints: readonly string[];
}

/** Files whose sentences other projects or programs write. */
const notOurs = /(?:^|\/)(?:api\.md|LICENSE|pnpm-lock\.yaml)$/;

function passagesOf(file: string): readonly Passage[] {
  if (notOurs.test(file)) return [];
  switch (extname(file)) {
    case '.md':
      return [{ place: 'page', line: 1, text: proseOf(textOf(file)) }];
    case '.ts':
    case '.mjs':
    case '.cjs':
    case '.js':
      return passagesOfSource(textOf(file));
    default:
      return [];
  }
}

/** Returns whether the rules apply. Strings of tests are data unless they are titles, and errors of the server have mongod's words. */
const isChecked = (file: string, { place }: Passage): boolean => {
  if (place === 'title' || place === 'comment') return true;
  if (/(?:^|\/)test\//.test(file)) return false;
  return place !== 'error' || !/^packages\/(?:server|mql|cluster)\//.test(file);
};

/** Returns the findings of one file. */
export const findingsOf = (file: string): readonly Finding[] =>
  passagesOf(file)
    .filter(passage => isChecked(file, passage))
    .flatMap(({ place, line, text }) =>
      sentencesOf(text).flatMap(sentence => {
        const complaints = complaintsOf(sentence, place);
        return complaints.length === 0 ? [] : [{ file, line, place, sentence, complaints }];
      }),
    );

/** Returns the findings of every file in the folders, in order of path. Without folders, it reads the whole repository. */
export const findingsBelow = (folders: readonly string[]): readonly Finding[] =>
  writtenFiles()
    .filter(file => folders.length === 0 || folders.some(folder => `${file}/`.startsWith(folder.replace(/\/?$/, '/'))))
    .flatMap(findingsOf);

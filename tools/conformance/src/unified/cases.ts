import { EJSON } from 'bson';
import type { Fixture } from '../suite.js';
import { isUnified } from '../suite.js';
import type { UnifiedFile, UnifiedTest } from './format.js';
import { checkSchemaVersion } from './version.js';

/** One test of a file. */
export interface Case {
  readonly suite: string;
  readonly file: string;
  readonly name: string;
  readonly unified: UnifiedFile;
  readonly test: UnifiedTest;
  /** Why the file cannot be run. */
  readonly unreadable: string | undefined;
  /** It is of those that a runner must find to be wrong. */
  readonly mustFail: boolean;
  /** What was mended in it. */
  readonly amended?: string;
}

const complaint = ({ schemaVersion }: UnifiedFile): string | undefined => {
  try {
    checkSchemaVersion(schemaVersion);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

/** The cases of one suite's unified files, found by their format. Rule: "Executing a Test File". */
export const casesOf = (suite: string, files: readonly Fixture[]): readonly Case[] =>
  files
    // What no schema accepts is for the schemas alone.
    .filter(({ name, json }) => isUnified(json) && !name.startsWith('invalid'))
    .flatMap(({ name: file, json }) => {
      const unified = EJSON.deserialize(json as object, { relaxed: true }) as unknown as UnifiedFile;
      const unreadable = complaint(unified);
      return unified.tests.map((test): Case => {
        const mustFail = file.startsWith('valid-fail');
        return { suite, file, name: test.description, unified, test, unreadable, mustFail };
      });
    });

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
  /** The reason if the file's schema version is not supported. */
  readonly unreadable: string | undefined;
  /** The test is from a valid-fail folder: a runner must report a failure. */
  readonly mustFail: boolean;
  /** The correction that was applied to the test. */
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

/** Returns the cases of a suite's unified test files; other files are ignored. Rule: "Executing a Test File". */
export const casesOf = (suite: string, files: readonly Fixture[]): readonly Case[] =>
  files
    // Files in "invalid" folders only test the schemas.
    .filter(({ name, json }) => isUnified(json) && !name.startsWith('invalid'))
    .flatMap(({ name: file, json }) => {
      const unified = EJSON.deserialize(json as object, { relaxed: true }) as unknown as UnifiedFile;
      const unreadable = complaint(unified);
      return unified.tests.map((test): Case => {
        const mustFail = file.startsWith('valid-fail');
        return { suite, file, name: test.description, unified, test, unreadable, mustFail };
      });
    });

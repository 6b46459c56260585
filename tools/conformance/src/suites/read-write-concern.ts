import { deepStrictEqual, throws } from 'node:assert';
import { defined } from '@tessera-tools/house';
import { MongoClient, ReadConcern, WriteConcern } from '@tessera/client';
import type { WriteConcernSettings } from '@tessera/client';
import { createWorld } from '@tessera/sim';
import { judge } from '../suite.js';
import type { Fixture, Result, Suite } from '../suite.js';

/** One case of the folder connection-string. */
interface StringCase {
  readonly description: string;
  readonly uri: string;
  readonly valid: boolean;
  readonly warning: boolean | null;
  readonly readConcern?: object;
  readonly writeConcern?: object;
}

/** A read concern case of the folder document. */
interface ReadDocumentCase {
  readonly description: string;
  readonly valid: boolean;
  readonly readConcern: { readonly level?: string };
  readonly readConcernDocument: object;
  readonly isServerDefault: boolean;
}

/** A write concern case of the folder document. */
interface DocumentCase {
  readonly description: string;
  readonly valid: boolean;
  readonly writeConcern: WriteConcernSettings;
  readonly writeConcernDocument: object | null;
  readonly isServerDefault: boolean | null;
  readonly isAcknowledged: boolean | null;
}

type Case = StringCase | ReadDocumentCase | DocumentCase;

const isStringCase = (test: Case): test is StringCase => 'uri' in test;
const isReadCase = (test: ReadDocumentCase | DocumentCase): test is ReadDocumentCase => 'readConcern' in test;

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const open = (uri: string): MongoClient => new MongoClient(uri, {}, { runtime: createWorld({ turn }).runtime });

const checkString = ({ uri, valid, warning, readConcern, writeConcern }: StringCase): void => {
  if (!valid) {
    throws(() => open(uri), /./, 'An invalid connection string was accepted.');
    return;
  }
  const client = open(uri);
  const { warnings } = client.options;
  deepStrictEqual(warnings.length > 0, warning ?? warnings.length > 0, `warnings: ${warnings.join(' ')}`);
  const { w, wtimeoutMS, journal } = client.writeConcern ?? {};
  if (readConcern !== undefined) deepStrictEqual(defined({ level: client.readConcern?.level }), readConcern);
  if (writeConcern !== undefined) deepStrictEqual(defined({ w, wtimeoutMS, journal }), writeConcern);
};

const checkReadDocument = ({ valid, readConcern, ...expected }: ReadDocumentCase): void => {
  if (!valid) {
    throws(() => ReadConcern.fromOptions(readConcern), { name: 'MongoInvalidArgumentError' });
    return;
  }
  const document = ReadConcern.fromOptions(readConcern)?.toJSON();
  deepStrictEqual(document ?? {}, expected.readConcernDocument);
  deepStrictEqual(document === undefined, expected.isServerDefault, 'isServerDefault');
};

const checkDocument = ({ valid, writeConcern, ...expected }: DocumentCase): void => {
  if (!valid) {
    throws(() => WriteConcern.fromOptions(writeConcern), { name: 'MongoInvalidArgumentError' });
    return;
  }
  const document = WriteConcern.fromOptions(writeConcern)?.toDocument();
  deepStrictEqual(document ?? {}, expected.writeConcernDocument);
  deepStrictEqual(document === undefined, expected.isServerDefault, 'isServerDefault');
  deepStrictEqual(document?.['w'] !== 0, expected.isAcknowledged, 'isAcknowledged');
};

const judgeFile = ({ name, json }: Fixture): readonly Result[] => {
  const { tests } = json as { readonly tests: readonly Case[] };
  return tests.map(test =>
    judge(name, test.description, () => {
      if (isStringCase(test)) checkString(test);
      else if (isReadCase(test)) checkReadDocument(test);
      else checkDocument(test);
    }),
  );
};

/** Rule: Read and Write Concern, "Test Plan". */
export const run: Suite = files => files.flatMap(judgeFile);

/** Runs a program with the official driver and with this one, against one server, and compares the outcomes. */
import { inspect } from 'node:util';
import * as official from 'mongodb';
import * as ours from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: RunningServer;
let databases = 0;

/** Starts the server for the tests of a file, and closes it after them. */
export const serveBoth = (): void => {
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());
};

export interface Film {
  _id: number;
  year?: number;
  title?: string;
  a?: unknown;
  long?: unknown;
  small?: unknown;
}

/** The arguments of a program. The types are those of the official driver; the values come from either driver. */
export interface Context {
  readonly client: official.MongoClient;
  readonly db: official.Db;
  readonly films: official.Collection<Film>;
  readonly module: typeof official;
}
export type Program = (context: Context) => Promise<unknown>;

export const six = ({ films }: Context): Promise<unknown> =>
  films.insertMany(Array.from({ length: 6 }, (_, _id) => ({ _id, year: _id % 3 })));

/** Returns the program's result as text, or the class and code of its error. */
const outcomeOf = async (
  program: Program,
  module: Context['module'],
  options: official.MongoClientOptions,
): Promise<string> => {
  const client = new module.MongoClient(`${server.uri}shop`, options);
  const db = client.db(`shop${databases++}`);
  try {
    const result = await program({ client, db, films: db.collection('films'), module });
    return inspect(result, { depth: 9, sorted: true }).replaceAll(/shop\d+\./g, 'shop.');
  } catch (error) {
    const { name, code } = error as official.MongoError;
    return `throws ${name} ${String(code)}`;
  } finally {
    await client.close();
  }
};

/** Tests a program whose outcome intentionally differs between the drivers. Both outcomes are given. */
export const different = (
  name: string,
  program: Program,
  outcomes: Readonly<Record<'official' | 'ours', string>>,
): void => {
  test(name, async () => {
    expect({
      official: await outcomeOf(program, official, {}),
      ours: await outcomeOf(program, ours as unknown as Context['module'], {}),
    }).toEqual(outcomes);
  });
};

export const same = (name: string, program: Program, options: official.MongoClientOptions = {}): void => {
  test(name, async () => {
    const expected = await outcomeOf(program, official, options);
    expect(await outcomeOf(program, ours as unknown as Context['module'], options)).toBe(expected);
  });
};

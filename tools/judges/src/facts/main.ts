import { join } from 'node:path';
import { EJSON } from 'bson';
import { MongoClient } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { conclude, flag, Mistake, print, putContent, readArguments, root, run, text } from '@tessera-tools/house';
import { factsOf, readFacts, type FactFile } from './fact-file.js';
import { tableOf } from './page.js';
import { databasesOf, runFile, type Result } from './run.js';
import { tallyOf } from './tally.js';

const usage = `npm run facts [-- FOLDER…] [-- --uri URI] [-- --list] [-- --write]

Checks facts that MongoDB's own tests state about the server. FOLDER selects files, such as core/query/and.

  --uri URI  checks this deployment instead of the embedded server. The databases that the facts use must be empty.
  --list     prints the number of facts of each file
  --write    writes the numbers of each folder into docs/facts.md
`;

const show = ({ file, row, difference }: Result): string => {
  const { command, expected, reason } = row;
  const place = `packages/server/test/facts/${file.name}.jsonl:${row.line}`;
  if (difference === undefined) return `${place}\n  holds now; remove the reason: ${reason}`;
  const parts = [command, expected ?? 'preparation'].map(each => EJSON.stringify(each, { relaxed: true }));
  return `${place}\n  ${parts.join('\n  ')}\n  ${difference}`;
};

/** Runs the files, and prints facts that do not hold. */
const runAll = async (uri: string, files: readonly FactFile[], isOurs: boolean): Promise<Result[]> => {
  const client = await new MongoClient(uri, { bsonRegExp: true, promoteLongs: false }).connect();
  try {
    if (!isOurs)
      for (const name of databasesOf(files))
        if ((await client.db(name).listCollections().toArray()).length > 0)
          throw new Mistake(`The database "${name}" of this deployment is not empty. The facts would delete it.`);
    const results: Result[] = [];
    for (const file of files) {
      const ended = await runFile(client, file);
      for (const each of ended)
        if ((each.difference === undefined) !== (each.row.reason === undefined)) print(show(each));
      results.push(...ended);
    }
    return results;
  } finally {
    await client.close();
  }
};

const onEmbedded = async (files: readonly FactFile[], replicaSet: string | undefined): Promise<Result[]> => {
  if (files.length === 0) return [];
  const server = await startServer(replicaSet === undefined ? {} : { replicaSet });
  try {
    return await runAll(server.uri, files, true);
  } finally {
    await server.close();
  }
};

await run(
  usage,
  given => readArguments({ options: { uri: text, list: flag, write: flag }, words: { noun: 'folder' } }, given),
  async ({ options: { uri, list, write }, words }) => {
    const files = readFacts(words);
    if (files.length === 0) throw new Mistake(`There are no facts in ${words.join(', ')}.`);
    if (list) {
      for (const file of files) print(`${String(factsOf(file)).padStart(5)}  ${file.name}`);
      return 0;
    }
    if (write) {
      putContent(join(root, 'docs', 'facts.md'), 'facts', tableOf(readFacts([])));
      return 0;
    }
    const results =
      uri === undefined
        ? [
            ...(await onEmbedded(
              files.filter(({ set }) => !set),
              undefined,
            )),
            ...(await onEmbedded(
              files.filter(({ set }) => set),
              'rs0',
            )),
          ]
        : await runAll(uri, files, false);
    print(`${files.length} files, ${files.reduce((count, file) => count + factsOf(file), 0)} facts`);
    return conclude(tallyOf(results));
  },
);

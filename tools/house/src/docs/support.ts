import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { markdownTable } from '../page.js';
import { root } from '../root.js';

/** The server's support of one operator, stage or command. */
interface Feature {
  readonly name: string;
  readonly status: string;
  readonly note: string;
}

type Kind =
  | 'commands'
  | 'stages'
  | 'expressions'
  | 'accumulators'
  | 'windowFunctions'
  | 'queryOperators'
  | 'updateOperators';

export type Support = Readonly<Record<Kind, readonly Feature[]>>;

/** Reads the support from the built server. It is imported by path, so that this package builds without the server. */
export async function supportOfServer(): Promise<Support> {
  const { href } = pathToFileURL(join(root, 'packages', 'server', 'dist', 'index.js'));
  const { describeSupport } = (await import(href)) as { readonly describeSupport: () => Support };
  return describeSupport();
}

const titles: readonly (readonly [Kind, string])[] = [
  ['commands', 'Commands'],
  ['stages', 'Aggregation stages'],
  ['expressions', 'Expressions'],
  ['accumulators', 'Accumulators of $group, $bucket and $bucketAuto'],
  ['windowFunctions', 'Functions of $setWindowFields'],
  ['queryOperators', 'Query operators'],
  ['updateOperators', 'Update operators'],
];

const section = (title: string, features: readonly Feature[]): string => {
  const noted = features.filter(({ status }) => status !== 'supported');
  const whole = features.filter(({ status }) => status === 'supported').map(({ name }) => `\`${name}\``);
  const rows = noted.map(({ name, status, note }) => [`\`${name}\``, status, note]);
  const table = markdownTable(['name', 'status', 'note'], rows);
  return [`## ${title}`, `Supported: ${whole.join(', ')}.`, ...(noted.length > 0 ? [table] : [])].join('\n\n');
};

/** Returns the page about the features of the embedded server. */
export const supportPage = (support: Support): string =>
  [
    '# Supported commands, stages and operators',
    '`npm run docs` generates this page from the tables of the server. A name that is in no list is rejected as unknown, as by `mongod`. Notes on partly supported features describe what is missing or different. Notes on refused features give the reason.',
    'The page describes a standalone and a member of a replica set. A mongos of [`@tessera/cluster`](../cluster) has further commands, such as `shardCollection` and `listShards`, and lacks some of these, such as `replSetGetStatus`.',
    ...titles.map(([kind, title]) => section(title, support[kind])),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');

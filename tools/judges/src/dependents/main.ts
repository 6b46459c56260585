import { conclude, flag, print, readArguments, sum } from '@tessera-tools/house';
import type { Tally } from '@tessera-tools/house';
import { runInterruptible } from '../interrupt.js';
import type { Topology } from '../peers/topology.js';
import { dependents, excluded } from './dependents.js';
import { header, runDependent } from './run.js';

const usage = `npm run dependents                       compares the programs of all packages that use mongodb, with both drivers
npm run dependents -- NAME …             compares those of some packages: ${dependents.map(({ name }) => name).join(', ')}
npm run dependents -- --short            compares some of them on a replica set
Each package is installed twice on first use and kept under .cache/: with npm mongodb, and with Tessera in its place.
`;

await runInterruptible(
  'dependents',
  usage,
  given =>
    readArguments(
      { options: { short: flag }, words: { noun: 'package', known: dependents.map(({ name }) => name) } },
      given,
    ),
  async ({ options: { short }, words }, signal) => {
    const topologies: readonly Topology[] = short ? ['replicaset'] : ['standalone', 'replicaset'];
    const chosen = dependents.filter(each =>
      short ? each.short === true : words.length === 0 || words.includes(each.name),
    );
    print(header);
    const tallies: Tally[] = [];
    for (const each of chosen) tallies.push(...(await runDependent(each, topologies, signal)));
    for (const { name, reason } of excluded) if (!short) print(`not compared: ${name}: ${reason}`);
    return conclude(sum(tallies));
  },
);

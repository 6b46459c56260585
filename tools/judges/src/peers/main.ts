import { conclude, print, sum } from '@tessera-tools/house';
import { runInterruptible } from '../interrupt.js';
import { peers } from './peers.js';
import type { PeerResult } from './run.js';
import { runPeer } from './run.js';
import { summaryHeader } from './table.js';
import { readCommandLine, usage } from './command-line.js';

await runInterruptible(
  'peers',
  usage,
  given => readCommandLine(given, peers),
  async ({ chosen, against }, signal) => {
    const all: PeerResult[] = [];
    for (const each of chosen) all.push(await runPeer(each, { signal, against }));
    if (all.length > 1) for (const each of [summaryHeader, ...all.map(({ line }) => line), '']) print(each);
    return conclude(sum(all.map(({ tally }) => tally)));
  },
);

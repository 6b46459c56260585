import { line, writeTally } from '@tessera-tools/house';
import type { Tally } from '@tessera-tools/house';
import { readArguments, usage } from './arguments.js';
import type { Wish } from './arguments.js';
import { compare, writeTable } from './compare.js';
import { runPlanted } from './planted.js';
import { print } from './print.js';
import { replay, run } from './run.js';

const perform = (wish: Exclude<Wish, { kind: 'mistake' | 'write' }>): Promise<Tally> => {
  switch (wish.kind) {
    case 'run':
      return run(wish.seed, wish.milliseconds);
    case 'planted':
      return runPlanted(wish.seed, wish.milliseconds, wish.part);
    case 'compare':
      return compare(wish.seed, wish.programs);
    case 'replay':
      return replay(wish.file);
  }
};

const wish = readArguments(process.argv.slice(2));
if (wish.kind === 'mistake') {
  process.stderr.write(`${wish.sentence}\n\n${usage}`);
  process.exitCode = 2;
} else if (wish.kind === 'write') writeTable();
else {
  const tally = await perform(wish);
  writeTally(tally);
  print(line(tally));
  if (tally.failed.length > 0) process.exitCode = 1;
}

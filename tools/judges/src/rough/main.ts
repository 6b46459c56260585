import { conclude, run as runTool } from '@tessera-tools/house';
import { compare, writeTable } from './compare.js';
import { runPlanted } from './planted.js';
import { replay, run } from './run.js';
import { readWish, usage } from './wish.js';

await runTool(usage, readWish, async wish => {
  switch (wish.kind) {
    case 'run':
      return conclude(await run(wish.seed, wish.milliseconds));
    case 'planted':
      return conclude(await runPlanted(wish.seed, wish.milliseconds, wish.part));
    case 'compare':
      return conclude(await compare(wish.seed, wish.programs));
    case 'replay':
      return conclude(await replay(wish.file));
    case 'write':
      writeTable();
      return 0;
  }
});

import { conclude, run as runTool } from '@tessera-tools/house';
import { compare, writeTable } from './compare.js';
import { runPlanted } from './planted.js';
import { replay, run } from './run.js';
import { readCommandLine, usage } from './command-line.js';

await runTool(usage, readCommandLine, async commandLine => {
  switch (commandLine.kind) {
    case 'run':
      return conclude(await run(commandLine.seed, commandLine.milliseconds));
    case 'planted':
      return conclude(await runPlanted(commandLine.seed, commandLine.milliseconds, commandLine.part));
    case 'compare':
      return conclude(await compare(commandLine.seed, commandLine.programs));
    case 'replay':
      return conclude(await replay(commandLine.file));
    case 'write':
      writeTable();
      return 0;
  }
});

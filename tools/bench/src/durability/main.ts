import { conclude, print, readArguments, run, wholeNumber } from '@tessera-tools/house';
import { killAndLook, serverCommand } from './kill.js';

const usage = `npm run durability                 kills a tessera-server with --data 50 times while clients write with j: true
npm run durability -- --times 5    as often as that
`;

const kill = async (times: number): Promise<number> => {
  const began = performance.now();
  const { kills, acknowledged, wrong, reports } = await killAndLook(serverCommand, times);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  for (const sentence of wrong) print(sentence);
  process.stdout.write(
    `${kills} kills in ${seconds} s: ${acknowledged} writes were acknowledged with j: true, ${reports.length} torn ends were cut off, ${wrong.length} things are wrong\n`,
  );
  const failed = wrong.map(reason => ({ title: 'durability: what was acknowledged with j: true is there', reason }));
  return conclude({ passed: wrong.length === 0 ? kills : 0, failed, skipped: [] });
};

const readTimes = (given: readonly string[]): number =>
  readArguments({ options: { times: wholeNumber(1) } }, given).options.times ?? 50;

await run(usage, readTimes, kill);

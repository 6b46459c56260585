import { conclude, print, readArguments, run, wholeNumber } from '@tessera-tools/house';
import { killAndVerify, serverCommand } from './kill.js';

const usage = `npm run durability                 kills a tessera-server with --data 50 times while clients write with j: true,
                                   and checks after each restart that it has every acknowledged write
npm run durability -- --times 5    kills it 5 times
`;

const kill = async (times: number): Promise<number> => {
  const began = performance.now();
  const { kills, acknowledged, wrong, reports } = await killAndVerify(serverCommand, times);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  for (const sentence of wrong) print(sentence);
  process.stdout.write(
    `${kills} kills in ${seconds} s: ${acknowledged} writes acknowledged with j: true, ${reports.length} incomplete journal entries removed, ${wrong.length} faults\n`,
  );
  const failed = wrong.map(reason => ({
    title: 'durability: the server has every write acknowledged with j: true',
    reason,
  }));
  return conclude({ passed: wrong.length === 0 ? kills : 0, failed, skipped: [] });
};

const readTimes = (given: readonly string[]): number =>
  readArguments({ options: { times: wholeNumber(1) } }, given).options.times ?? 50;

await run(usage, readTimes, kill);

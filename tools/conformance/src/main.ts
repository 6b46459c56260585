import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { countResults, reportJson, reportText } from './report.js';
import { runSuites, suites } from './run-suites.js';

const known = Object.keys(suites);
const usage = `conformance [suite …] [--json FILE]: runs the fixtures of ${known.join(', ')}, all by default.`;

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    console.log(usage);
    return 0;
  }
  const unknown = positionals.find(name => !known.includes(name));
  if (unknown !== undefined) throw new Error(`There is no suite '${unknown}'. ${usage}`);
  const all = await runSuites(positionals.length === 0 ? known : positionals);
  console.log(reportText(all));
  if (values.json !== undefined) writeFileSync(values.json, reportJson(all) + '\n');
  return countResults(all.flatMap(({ results }) => results)).failed === 0 ? 0 : 1;
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

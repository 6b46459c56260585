import { join } from 'node:path';
import { flag, print, putContent, readArguments, root, run } from '@tessera-tools/house';
import { tablesOf } from './page.js';
import { startDeployments } from './run.js';

const usage = `npm run mistakes [-- --write]

Makes the mistakes of docs/errors.md with this driver and with npm \`mongodb\`, and prints the errors.

  --write   writes the errors into docs/errors.md
`;

await run(
  usage,
  given => readArguments({ options: { write: flag } }, given).options,
  async ({ write }) => {
    await using deployments = await startDeployments();
    const tables = await tablesOf(deployments);
    if (write) putContent(join(root, 'docs', 'errors.md'), 'mistakes', tables);
    else print(tables);
    return 0;
  },
);

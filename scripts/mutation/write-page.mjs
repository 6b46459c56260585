// Part of `npm run docs`: writes docs/mutation.md from the last results and the lists of equal mutants.
import { readEqual } from './equal.mjs';
import { write } from './page.mjs';
import { tiles } from './tiles.mjs';

write(
  tiles.map(({ name }) => name),
  {},
  await readEqual(),
);

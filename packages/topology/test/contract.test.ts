import { topologySuite } from '@tessera/sim';
import { describe, test } from 'vitest';
import { createTopology, fixedServer } from '../src/index.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe('createTopology fulfils the contract of Deployment', () => {
  const cases = topologySuite({ turn, createDeployment: (deps, seeds) => createTopology(deps, { seeds }) });
  for (const { name, run } of cases) test(name, run);
});

describe('fixedServer fulfils the contract of Deployment', () => {
  const cases = topologySuite(
    {
      turn,
      createDeployment: ({ openPool }, [address = 'db1:27017']) =>
        fixedServer(
          openPool(address, () => undefined),
          address,
        ),
    },
    { watches: false },
  );
  for (const { name, run } of cases) test(name, run);
});

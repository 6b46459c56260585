import { topologySuite } from '@tessera/sim';
import { createTopology, fixedServer } from '@tessera/topology';
import { describe, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe('@tessera/topology fulfils the contract of Deployment', () => {
  const suite = topologySuite({ createDeployment: (deps, seeds) => createTopology(deps, { seeds }), turn });
  for (const { name, run } of suite) test(name, run);
});

describe('a fixed server fulfils the contract of Deployment', () => {
  const suite = topologySuite(
    {
      createDeployment: ({ openPool }, [address = '']) =>
        fixedServer(
          openPool(address, () => undefined),
          address,
        ),
      turn,
    },
    { watches: false },
  );
  for (const { name, run } of suite) test(name, run);
});

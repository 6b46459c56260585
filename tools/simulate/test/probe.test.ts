import { expect, test } from 'vitest';
import type { ConnectionPool, Deployment } from '@tessera/contracts';
import { defaultParts } from '@tessera/client';
import { probe } from '../src/kernel/probe.js';
import type { ProbedParts } from '../src/kernel/probe.js';
import { createRecord } from '../src/kernel/record.js';

/** The options of a part. This test does not use them. */
const nothing = { events: { wants: () => false, emit: () => undefined } } as never;

test('interrupts a deployment and its pools through the probes', () => {
  const interrupted: string[] = [];
  const parts: ProbedParts = {
    ...defaultParts,
    pools: () => () => ({ interrupt: () => interrupted.push('pool') }) as unknown as ConnectionPool,
    topology: () => ({ interrupt: () => interrupted.push('deployment') }) as unknown as Deployment,
  };
  const { pools, topology } = probe(parts, createRecord({ now: () => 0 }, false));
  topology(nothing, nothing).interrupt();
  pools(nothing, nothing)('a:27017', () => undefined).interrupt(nothing);
  expect(interrupted).toEqual(['deployment', 'pool']);
});

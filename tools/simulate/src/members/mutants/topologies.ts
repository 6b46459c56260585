import type { Selection, ServerDescription, TopologyDescription } from '@tessera/contracts';
import { createTopology, reduce } from '@tessera/topology';
import type { TopologyEffect, TopologyInput } from '@tessera/topology';
import { deploymentAround, reducing } from '../../kernel/doors.js';
import { abortsAtOnce } from '../../kernel/invariants/calls.js';
import {
  checksKeepTheirPace,
  networkErrorClears,
  noOldError,
  noOlderVersion,
  primaryIsReady,
} from '../../kernel/invariants/discovery.js';
import { nothingLeft } from '../../kernel/invariants/end.js';
import { suitable } from '../../kernel/invariants/selection.js';
import type { Mutant, Swaps } from '../../kernel/kind.js';
import { noOlderPrimary } from '../invariants.js';

const eachServer = (
  description: TopologyDescription,
  change: (server: ServerDescription) => ServerDescription,
): TopologyDescription => ({
  ...description,
  servers: new Map([...description.servers].map(([address, server]) => [address, change(server)])),
});

/** Drops the effects of one type from some reductions. */
const without = (
  type: TopologyEffect['type'],
  where: (input: TopologyInput, description: TopologyDescription) => boolean,
): Swaps =>
  reducing((description, input, settings) => {
    const reduction = reduce(description, input, settings);
    if (!where(input, description)) return reduction;
    return { ...reduction, effects: reduction.effects.filter(effect => effect.type !== type) };
  });

/** Changes the selection of each request before the deployment reads it. */
const selecting = (change: (selection: Selection) => Selection): Swaps =>
  deploymentAround(deployment => {
    const changed = new Map<Selection, Selection>();
    const read = (selection: Selection): Selection => {
      const known = changed.get(selection) ?? change(selection);
      changed.set(selection, known);
      return known;
    };
    return {
      select: (request, at) => {
        const { operation } = request;
        const misread = Object.create(operation, {
          selection: { value: read(operation.selection) },
        }) as typeof operation;
        return deployment.select({ ...request, operation: misread }, at);
      },
    };
  });

export const topologyMutants: readonly Mutant[] = [
  {
    name: 'reducer-accepts-stale-primaries',
    sentence: 'every server that claims to be the primary is accepted, however old its election is',
    breaks: noOlderPrimary,
    parts: () =>
      reducing((description, input, settings) =>
        reduce(
          input.type === 'checked' && input.server.type === 'RSPrimary'
            ? { ...description, maxElectionId: undefined, maxSetVersion: undefined }
            : description,
          input,
          settings,
        ),
      ),
  },
  {
    name: 'reducer-keeps-old-primary',
    sentence: 'a new primary does not mark the previous one as unknown',
    breaks: noOlderPrimary,
    parts: () =>
      reducing((description, input, settings) => {
        const reduction = reduce(description, input, settings);
        if (input.type !== 'checked' || input.server.type !== 'RSPrimary') return reduction;
        return {
          ...reduction,
          description: eachServer(reduction.description, server => {
            const before = description.servers.get(server.address);
            return before?.type === 'RSPrimary' && server.address !== input.server.address ? before : server;
          }),
        };
      }),
  },
  {
    name: 'reducer-forgets-topologyVersion',
    sentence: 'an older hello reply replaces a newer one',
    breaks: noOlderVersion,
    parts: () =>
      reducing((description, input, settings) => {
        const reduction = reduce(description, input, settings);
        // The reducer ignored the reply because it is older. Apply it anyway.
        if (reduction.description !== description) return reduction;
        const blind = eachServer(description, server => ({ ...server, topologyVersion: undefined }));
        const { effects, description: next } = reduce(blind, input, settings);
        const truly = effects.map(effect => {
          if (effect.type !== 'event' || effect.event.name !== 'serverDescriptionChanged') return effect;
          const previousDescription = description.servers.get(effect.event.address) ?? effect.event.previousDescription;
          return { ...effect, event: { ...effect.event, previousDescription } };
        });
        const known = eachServer(next, server => ({
          ...server,
          topologyVersion: server.topologyVersion ?? description.servers.get(server.address)?.topologyVersion,
        }));
        return { description: known, effects: truly };
      }),
  },
  {
    name: 'reducer-forgets-generation',
    sentence: 'an error of an old connection marks the server Unknown and clears its pool again',
    breaks: noOldError,
    parts: () =>
      reducing((description, input, settings) =>
        reduce(description, input.type === 'failed' ? { ...input, generation: 0 } : input, settings),
      ),
  },
  {
    name: 'reducer-does-not-clear',
    sentence: 'a network error of an operation marks the server Unknown, but does not clear its pool',
    breaks: networkErrorClears,
    parts: () => without('clearPool', input => input.type === 'failed'),
  },
  {
    name: 'reducer-does-not-ready-pools',
    sentence: 'a server is discovered, but its pool stays paused',
    breaks: primaryIsReady,
    parts: () =>
      without(
        'readyPool',
        (input, { servers }) => input.type === 'checked' && servers.get(input.server.address)?.type === 'Unknown',
      ),
  },
  {
    name: 'reducer-does-not-close-servers',
    sentence: 'a server that leaves the set is removed, but its pool and monitor stay open',
    breaks: nothingLeft,
    parts: () => without('closeServer', input => input.type !== 'close'),
  },
  {
    name: 'selection-ignores-staleness',
    sentence: 'a secondary that is too stale is selected',
    breaks: suitable,
    parts: () => selecting(({ mode, tags }) => ({ mode, tags })),
  },
  {
    name: 'selection-ignores-tags',
    sentence: 'a server without the tags is selected',
    breaks: suitable,
    parts: () => selecting(({ mode, maxStalenessSeconds }) => ({ mode, maxStalenessSeconds })),
  },
  {
    name: 'selection-weakens-primary',
    sentence: 'a secondary is selected for the read preference primary',
    breaks: suitable,
    parts: () => selecting(({ mode, ...rest }) => ({ ...rest, mode: mode === 'primary' ? 'primaryPreferred' : mode })),
  },
  {
    name: 'selection-ignores-latency',
    sentence: 'servers outside of the latency window are selected',
    breaks: suitable,
    parts: () => ({ topology: (deps, options) => createTopology(deps, { ...options, localThresholdMS: 1e9 }) }),
  },
  {
    name: 'selection-ignores-signals',
    sentence: 'a waiting selection ignores its signal',
    breaks: abortsAtOnce,
    parts: () =>
      deploymentAround(deployment => ({
        select: (request, at) => deployment.select({ ...request, signal: undefined }, at),
      })),
  },
  {
    name: 'monitor-checks-without-rest',
    sentence: 'a failed check is followed by the next one after 50 ms',
    breaks: checksKeepTheirPace,
    parts: () => ({ topology: (deps, options) => createTopology(deps, { ...options, minHeartbeatFrequencyMS: 50 }) }),
  },
  {
    name: 'reducer-rechecks-unknown-servers',
    sentence: 'a server whose checks fail is checked again at once, as if it had been known',
    breaks: checksKeepTheirPace,
    parts: () =>
      reducing((description, input, settings) => {
        const { description: next, effects } = reduce(description, input, settings);
        if (input.type !== 'checkFailed') return { description: next, effects };
        return { description: next, effects: [...effects, { type: 'checkNow', address: input.address, rest: 'none' }] };
      }),
  },
  {
    name: 'topology-stays-open',
    sentence: 'closing the client leaves its monitors and pools open',
    breaks: nothingLeft,
    parts: () => deploymentAround(() => ({ close: () => Promise.resolve() })),
  },
];

import type { Selection, ServerDescription, TopologyDescription } from '@tessera/contracts';
import { createTopology, reduce } from '@tessera/topology';
import type { TopologyEffect, TopologyInput } from '@tessera/topology';
import { deploymentAround, reducing } from '../../kernel/doors.js';
import { abortsAtOnce } from '../../kernel/invariants/calls.js';
import { networkErrorClears, noOldError, noOlderVersion, primaryIsReady } from '../../kernel/invariants/discovery.js';
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

/** Reductions without the effects of one type. */
const without = (
  type: TopologyEffect['type'],
  where: (input: TopologyInput, description: TopologyDescription) => boolean,
): Swaps =>
  reducing((description, input, settings) => {
    const reduction = reduce(description, input, settings);
    if (!where(input, description)) return reduction;
    return { ...reduction, effects: reduction.effects.filter(effect => effect.type !== type) };
  });

/** The selection of a request as a broken one would read it. */
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
    name: 'reducer-believes-stale-primaries',
    sentence: 'whoever says that it is the primary is believed, however old its election',
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
    sentence: 'a new primary does not put the old one in doubt',
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
    sentence: 'an old answer is believed after a newer one',
    breaks: noOlderVersion,
    parts: () =>
      reducing((description, input, settings) => {
        const reduction = reduce(description, input, settings);
        // It was ignored, for it is older than what is known: taken in all the same.
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
    sentence: 'an error of an old connection marks the server and clears its pool again',
    breaks: noOldError,
    parts: () =>
      reducing((description, input, settings) =>
        reduce(description, input.type === 'failed' ? { ...input, generation: 0 } : input, settings),
      ),
  },
  {
    name: 'reducer-does-not-clear',
    sentence: 'a network error of an operation marks the server, but leaves its pool',
    breaks: networkErrorClears,
    parts: () => without('clearPool', input => input.type === 'failed'),
  },
  {
    name: 'reducer-does-not-ready-pools',
    sentence: 'a server is found, and its pool stays paused',
    breaks: primaryIsReady,
    parts: () =>
      without(
        'readyPool',
        (input, { servers }) => input.type === 'checked' && servers.get(input.server.address)?.type === 'Unknown',
      ),
  },
  {
    name: 'reducer-does-not-close-servers',
    sentence: 'a server that leaves the set is forgotten, but its pool and monitor live on',
    breaks: nothingLeft,
    parts: () => without('closeServer', input => input.type !== 'close'),
  },
  {
    name: 'selection-ignores-staleness',
    sentence: 'a secondary that is too far behind is chosen',
    breaks: suitable,
    parts: () => selecting(({ mode, tags }) => ({ mode, tags })),
  },
  {
    name: 'selection-ignores-tags',
    sentence: 'a server without the tags is chosen',
    breaks: suitable,
    parts: () => selecting(({ mode, maxStalenessSeconds }) => ({ mode, maxStalenessSeconds })),
  },
  {
    name: 'selection-prefers-loosely',
    sentence: 'a secondary is chosen where only the primary would do',
    breaks: suitable,
    parts: () => selecting(({ mode, ...rest }) => ({ ...rest, mode: mode === 'primary' ? 'primaryPreferred' : mode })),
  },
  {
    name: 'selection-ignores-latency',
    sentence: 'servers outside of the latency window are chosen',
    breaks: suitable,
    parts: () => ({ topology: (deps, options) => createTopology(deps, { ...options, localThresholdMS: 1e9 }) }),
  },
  {
    name: 'selection-ignores-signals',
    sentence: 'who waits for a server cannot give up',
    breaks: abortsAtOnce,
    parts: () =>
      deploymentAround(deployment => ({
        select: (request, at) => deployment.select({ ...request, signal: undefined }, at),
      })),
  },
  {
    name: 'topology-stays-open',
    sentence: 'closing the client leaves its monitors and pools',
    breaks: nothingLeft,
    parts: () => deploymentAround(() => ({ close: () => Promise.resolve() })),
  },
];

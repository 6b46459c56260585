import {
  chained,
  connectionEvents,
  heartbeatEvents,
  poolEvents,
  selectionEvents,
  serverEvents,
  topologyEvents,
} from '../../kernel/invariants/grammar.js';
import { poolsTelling, topologyTelling } from '../../kernel/doors.js';
import type { Mutant } from '../../kernel/kind.js';

/** Parts that do what they should and tell listeners something else. */
export const listenerMutants: readonly Mutant[] = [
  {
    name: 'pool-tells-ready-twice',
    sentence: 'a pool that is ready says so again',
    breaks: poolEvents,
    parts: () => poolsTelling('connectionPoolReady', event => [event, event]),
  },
  {
    name: 'pool-does-not-tell-ready-connections',
    sentence: 'a connection is checked out that was never said to be ready',
    breaks: connectionEvents,
    parts: () => poolsTelling('connectionReady', () => []),
  },
  {
    name: 'topology-does-not-tell-openings',
    sentence: 'a server is watched that was never said to be',
    breaks: serverEvents,
    parts: () => topologyTelling('serverOpening', () => []),
  },
  {
    name: 'monitor-does-not-tell-failures',
    sentence: 'a check that failed has begun, and nothing is said of its end',
    breaks: heartbeatEvents,
    parts: () => topologyTelling('serverHeartbeatFailed', () => []),
  },
  {
    name: 'topology-closes-twice',
    sentence: 'a topology that is closed says so again',
    breaks: topologyEvents,
    parts: () => topologyTelling('topologyClosed', event => [event, event]),
  },
  {
    name: 'selection-does-not-tell-failures',
    sentence: 'a selection that failed has begun, and nothing is said of its end',
    breaks: selectionEvents,
    parts: () => topologyTelling('serverSelectionFailed', () => []),
  },
  {
    name: 'topology-skips-descriptions',
    sentence: 'every third change of a server is not told',
    breaks: chained,
    parts: () => {
      let changes = 0;
      return topologyTelling('serverDescriptionChanged', event => (++changes % 3 === 0 ? [] : [event]));
    },
  },
];

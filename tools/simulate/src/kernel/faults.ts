import type { Clock, Millis } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import type { Fault } from './plan.js';

/** What a deployment and the way to it suffer from. */
export interface Faults {
  /** Begins now; what lasts ends by itself, while the others stay. */
  happen(fault: Fault): void;
  /** All end now. */
  heal(): void | Promise<void>;
}

/** For each fault of a kind of history, what it does. */
export type Effects<F extends Fault> = { readonly [W in F['what']]: (fault: F & { readonly what: W }) => void };

/** Faults whose effects are these. */
export const createFaults = <F extends Fault>(effects: Effects<F>, heal: Faults['heal']): Faults => ({
  happen: fault => {
    const { what } = fault as { readonly what: F['what'] };
    effects[what](fault as F & { readonly what: F['what'] });
  },
  heal,
});

/** What goes wrong for a while. */
export interface Troubles {
  /** Begins it now; it ends by itself, while the others stay. */
  begin(begin: () => void, lasting: Millis, ended?: () => void): void;
  /** All end, and none comes back. */
  end(): void;
}

/** @param heal ends everything that was begun; what is to stay is begun again */
export const createTroubles = (clock: Clock, heal: () => void): Troubles => {
  const under = new Set<() => void>();
  let isOver = false;
  return {
    begin: (begin, lasting, ended) => {
      begin();
      under.add(begin);
      clock.startTimer(lasting, () => {
        if (isOver || !under.delete(begin)) return;
        heal();
        ended?.();
        for (const again of under) again();
      });
    },
    end: () => {
      isOver = true;
      under.clear();
      heal();
    },
  };
};

/** Probabilities of packets. */
export interface PlannedMishaps {
  readonly reset: number;
  readonly stall: number;
}

export const noMishaps: PlannedMishaps = { reset: 0, stall: 0 };

export interface Lasting {
  readonly lasting: Millis;
}

/** What goes wrong between the client and hosts. */
export interface Ways {
  readonly troubles: Troubles;
  distance(host: string, delay: Millis, jitter: Millis): void;
  /** Every open connection is reset, now. */
  reset(host: string): void;
  /** Packets wait. */
  partition(host: string, fault: Lasting): void;
  /** New connections are refused. */
  refuse(host: string, fault: Lasting): void;
  /** Connections fall silent for good. */
  silence(host: string, fault: Lasting, ended?: () => void): void;
  mishaps(mishaps: PlannedMishaps): void;
}

export const createWays = ({ network, runtime }: World, heal = (): void => undefined): Ways => {
  const troubles = createTroubles(runtime.clock, () => {
    network.heal();
    heal();
  });
  return {
    troubles,
    distance: (host, delay, jitter) => network.latency({ delay, jitter }, 'client', host),
    reset: host => void network.reset(host),
    partition: (host, { lasting }) => troubles.begin(() => network.partition('client', host), lasting),
    refuse: (host, { lasting }) => troubles.begin(() => network.refuse(host), lasting),
    silence: (host, { lasting }, ended) => troubles.begin(() => network.blackhole(host), lasting, ended),
    mishaps: ({ reset, stall }) => network.mishaps({ reset, stall, stallFor: 300 }),
  };
};

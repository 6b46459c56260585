import type { Clock, Millis } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import type { Fault } from './plan.js';

/** Applies the faults of a plan to a deployment and to its network. */
export interface Faults {
  /** Begins a fault. A fault that lasts ends by itself. */
  happen(fault: Fault): void;
  /** Ends all faults. */
  heal(): void | Promise<void>;
}

/** The effect of each fault, by name. */
export type Effects<F extends Fault> = { readonly [W in F['what']]: (fault: F & { readonly what: W }) => void };

/** Makes faults from the table of their effects. */
export const createFaults = <F extends Fault>(effects: Effects<F>, heal: Faults['heal']): Faults => ({
  happen: fault => {
    const { what } = fault as { readonly what: F['what'] };
    effects[what](fault as F & { readonly what: F['what'] });
  },
  heal,
});

/** Faults that last for a while and cannot be ended one at a time. */
export interface Troubles {
  /** Begins a fault, which ends after `lasting` while the other faults stay. */
  begin(begin: () => void, lasting: Millis, ended?: () => void): void;
  /** Ends all faults for good. */
  end(): void;
}

/** @param heal ends all faults at once; the faults that are to stay begin again after it */
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

/** Probabilities for each packet. */
export interface PlannedMishaps {
  readonly reset: number;
  readonly stall: number;
}

export const noMishaps: PlannedMishaps = { reset: 0, stall: 0 };

export interface Lasting {
  readonly lasting: Millis;
}

/** The faults of the network between the client and the servers. */
export interface Ways {
  readonly troubles: Troubles;
  distance(host: string, delay: Millis, jitter: Millis): void;
  /** Resets every open connection. */
  reset(host: string): void;
  /** Holds all packets back. */
  partition(host: string, fault: Lasting): void;
  /** Refuses new connections. */
  refuse(host: string, fault: Lasting): void;
  /** Drops all packets of the open connections for good. Neither end gets an error. */
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

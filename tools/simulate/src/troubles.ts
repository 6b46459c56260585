import type { Clock, Millis } from '@tessera/contracts';

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

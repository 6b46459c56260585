/**
 * An operation layer that limits the number of concurrent operations, queues the others, and counts operations by name.
 */
import type { Layer } from '@tessera/contracts';

export interface Doorman {
  readonly layer: Layer;
  readonly passed: ReadonlyMap<string, number>;
  readonly mostAtOnce: number;
}

export const createDoorman = (limit: number): Doorman => {
  const passed = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let inside = 0;
  let mostAtOnce = 0;

  const enter = (): Promise<void> => {
    if (inside >= limit) return new Promise(resolve => waiting.push(resolve));
    inside += 1;
    return Promise.resolve();
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) inside -= 1;
    else next();
  };

  const layer: Layer = next => async request => {
    await enter();
    mostAtOnce = Math.max(mostAtOnce, inside);
    passed.set(request.operation.name, (passed.get(request.operation.name) ?? 0) + 1);
    try {
      return await next(request);
    } finally {
      leave();
    }
  };

  return {
    layer,
    passed,
    get mostAtOnce() {
      return mostAtOnce;
    },
  };
};

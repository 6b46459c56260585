import type { Host } from '@tessera/contracts';

/** An engine with the part of its host that waits for modules. */
export interface Loading {
  readonly host: Pick<Host, 'loaded'> | undefined;
}

/** Waits for a module that is being loaded. A simulated host stops its time meanwhile. */
export const loaded = <T>({ host }: Loading, module: Promise<T>): Promise<T> => host?.loaded?.(module) ?? module;

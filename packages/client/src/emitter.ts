import type { Clock, DriverEvent, EventMap, EventName, EventSink } from '@tessera/contracts';
import { argument, checkArgument } from './operation-options.js';

type Listener = (...values: never[]) => void;

export interface Registration {
  /** As it was given. */
  readonly listener: Listener;
  readonly isOnce: boolean;
}

/** Listeners by event name, under the names of Node's EventEmitter. */
export class TypedEmitter<Events extends Record<keyof Events, Listener>> {
  /** Made for the first listener: most of those that could tell something are never listened to. */
  #registrations: Map<keyof Events, readonly Registration[]> | undefined;

  on<N extends keyof Events>(name: N, listener: Events[N]): this {
    return this.add(name, { listener, isOnce: false }, 'last');
  }

  once<N extends keyof Events>(name: N, listener: Events[N]): this {
    return this.add(name, { listener, isOnce: true }, 'last');
  }

  /** As `on`, before the listeners that are there. */
  prependListener<N extends keyof Events>(name: N, listener: Events[N]): this {
    return this.add(name, { listener, isOnce: false }, 'first');
  }

  /** As `once`, before the listeners that are there. */
  prependOnceListener<N extends keyof Events>(name: N, listener: Events[N]): this {
    return this.add(name, { listener, isOnce: true }, 'first');
  }

  /** Takes away the newest registration of the listener. */
  off<N extends keyof Events>(name: N, listener: Events[N]): this {
    const one = this.#of(name).findLast(known => known.listener === listener);
    if (one !== undefined) this.#take(name, one);
    return this;
  }

  addListener<N extends keyof Events>(name: N, listener: Events[N]): this {
    return this.on(name, listener);
  }

  removeListener<N extends keyof Events>(name: N, listener: Events[N]): this {
    return this.off(name, listener);
  }

  removeAllListeners(name?: keyof Events): this {
    if (name === undefined) this.#registrations?.clear();
    else this.#registrations?.delete(name);
    return this;
  }

  listenerCount(name: keyof Events): number {
    return this.#registrations?.get(name)?.length ?? 0;
  }

  listeners<N extends keyof Events>(name: N): Events[N][] {
    return this.#of(name).map(({ listener }) => listener) as Events[N][];
  }

  /** Those of `once` are not wrapped here. */
  rawListeners<N extends keyof Events>(name: N): Events[N][] {
    return this.listeners(name);
  }

  eventNames(): (keyof Events)[] {
    return [...(this.#registrations?.keys() ?? [])];
  }

  /** There is no limit to listeners here; the method is there for those who call it. */
  setMaxListeners(_count: number): this {
    return this;
  }

  /** No limit, as Node.js says it. */
  getMaxListeners(): number {
    return 0;
  }

  emit<N extends keyof Events>(name: N, ...values: Parameters<Events[N]>): boolean {
    const registrations = this.#registrations?.get(name);
    if (registrations === undefined) return false;
    for (const one of registrations) {
      if (one.isOnce) this.#take(name, one);
      one.listener(...(values as never[]));
    }
    return true;
  }

  #of(name: keyof Events): readonly Registration[] {
    return this.#registrations?.get(name) ?? [];
  }

  /** Every way to listen comes by here. */
  protected add(name: keyof Events, one: Registration, place: 'first' | 'last'): this {
    checkArgument('listener', one.listener, argument.callback);
    const known = this.#of(name);
    this.#registrations ??= new Map();
    this.#registrations.set(name, place === 'first' ? [one, ...known] : [...known, one]);
    return this;
  }

  #take(name: keyof Events, one: Registration): void {
    const left = this.#of(name).filter(known => known !== one);
    if (left.length === 0) this.#registrations?.delete(name);
    else this.#registrations?.set(name, left);
  }
}

export type MongoClientEvents = {
  readonly [N in EventName]: (event: { readonly name: N } & EventMap[N]) => void;
} & {
  readonly open: (client: unknown) => void;
  readonly close: () => void;
  readonly error: (error: Error) => void;
};

/** Anything with the clock on which an error surfaces that no listener takes. */
export interface Timed {
  readonly clock: Clock;
}

/** Passes the events of the layers below to the listeners of the client. */
export const createSink = (client: TypedEmitter<MongoClientEvents>, timed: Timed): EventSink => {
  const emitter = client as unknown as TypedEmitter<Record<EventName, (event: DriverEvent) => void>>;
  return {
    wants: name => emitter.listenerCount(name) > 0,
    emit: event => {
      emitSafely(emitter, timed, event.name, event);
    },
  };
};

/**
 * Emits an event without failing the operation that emits it. What a listener throws goes to the listeners for `error`. An
 * error that has no such listener, or that such a listener throws, becomes an uncaught exception in a later turn.
 */
export const emitSafely = <Events extends Record<keyof Events, Listener>, N extends keyof Events>(
  emitter: TypedEmitter<Events>,
  timed: Timed,
  name: N,
  ...values: Parameters<Events[N]>
): void => {
  try {
    if (!emitter.emit(name, ...values) && name === 'error') surface(timed, values[0]);
  } catch (error) {
    const forErrors = emitter as unknown as TypedEmitter<{ readonly error: (error: unknown) => void }>;
    if (name === 'error') surface(timed, error);
    else emitSafely(forErrors, timed, 'error', error);
  }
};

/** A timer's callback that throws is an uncaught exception of the host. */
const surface = ({ clock }: Timed, error: unknown): void => {
  clock.startTimer(0, () => {
    throw error;
  });
};

import type { DriverEvent, EventMap, EventName, EventSink } from '@tessera/contracts';

type Listener = (...values: never[]) => void;

interface Registration {
  /** As it was given. */
  readonly listener: Listener;
  readonly isOnce: boolean;
}

/** Listeners by event name, under the names of Node's EventEmitter. A listener that throws harms no operation. */
export class TypedEmitter<Events extends Record<keyof Events, Listener>> {
  readonly #registrations = new Map<keyof Events, readonly Registration[]>();

  on<N extends keyof Events>(name: N, listener: Events[N]): this {
    return this.#register(name, { listener, isOnce: false });
  }

  once<N extends keyof Events>(name: N, listener: Events[N]): this {
    return this.#register(name, { listener, isOnce: true });
  }

  /** Takes away the newest registration of the listener. */
  off<N extends keyof Events>(name: N, listener: Events[N]): this {
    const one = this.#registrations.get(name)?.findLast(known => known.listener === listener);
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
    if (name === undefined) this.#registrations.clear();
    else this.#registrations.delete(name);
    return this;
  }

  listenerCount(name: keyof Events): number {
    return this.#registrations.get(name)?.length ?? 0;
  }

  listeners<N extends keyof Events>(name: N): Events[N][] {
    return (this.#registrations.get(name) ?? []).map(({ listener }) => listener) as Events[N][];
  }

  eventNames(): (keyof Events)[] {
    return [...this.#registrations.keys()];
  }

  /** There is no limit to listeners here; the method is there for those who call it. */
  setMaxListeners(_count: number): this {
    return this;
  }

  emit<N extends keyof Events>(name: N, ...values: Parameters<Events[N]>): boolean {
    const registrations = this.#registrations.get(name);
    if (registrations === undefined) return false;
    for (const one of registrations) {
      if (one.isOnce) this.#take(name, one);
      one.listener(...(values as never[]));
    }
    return true;
  }

  #register(name: keyof Events, one: Registration): this {
    this.#registrations.set(name, [...(this.#registrations.get(name) ?? []), one]);
    return this;
  }

  #take(name: keyof Events, one: Registration): void {
    const left = this.#registrations.get(name)?.filter(known => known !== one) ?? [];
    if (left.length === 0) this.#registrations.delete(name);
    else this.#registrations.set(name, left);
  }
}

export type MongoClientEvents = {
  readonly [N in EventName]: (event: { readonly name: N } & EventMap[N]) => void;
} & {
  readonly open: (client: unknown) => void;
  readonly close: () => void;
  readonly error: (error: Error) => void;
};

/** Events of the layers below, to whoever listens at the client. */
export const createSink = (emitter: TypedEmitter<MongoClientEvents>): EventSink => ({
  wants: name => emitter.listenerCount(name) > 0,
  emit: (event: DriverEvent) => {
    try {
      const deliver = emitter.emit.bind(emitter) as (name: EventName, event: DriverEvent) => boolean;
      deliver(event.name, event);
    } catch (error) {
      tell(emitter, error as Error);
    }
  },
});

/** A listener's mistake is the application's: it is told where it asked to be told, and fails no operation. */
const tell = (emitter: TypedEmitter<MongoClientEvents>, error: Error): void => {
  try {
    emitter.emit('error', error);
  } catch {
    // That listener is mistaken, too: there is nobody left to tell.
  }
};

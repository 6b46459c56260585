import type { DriverEvent, EventMap, EventName, EventSink } from '@tessera/contracts';

type Listener = (...values: never[]) => void;

/** Listeners by event name, under the names of Node's EventEmitter. A listener that throws harms no operation. */
export class TypedEmitter<Events extends Record<keyof Events, Listener>> {
  readonly #listeners = new Map<keyof Events, Listener[]>();

  on<N extends keyof Events>(name: N, listener: Events[N]): this {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) this.#listeners.set(name, [listener]);
    else listeners.push(listener);
    return this;
  }

  once<N extends keyof Events>(name: N, listener: Events[N]): this {
    const once = ((...values: Parameters<Events[N]>) => {
      this.off(name, once);
      listener(...values);
    }) as Events[N];
    return this.on(name, once);
  }

  off<N extends keyof Events>(name: N, listener: Events[N]): this {
    const listeners = this.#listeners.get(name)?.filter(one => one !== listener) ?? [];
    if (listeners.length === 0) this.#listeners.delete(name);
    else this.#listeners.set(name, listeners);
    return this;
  }

  addListener<N extends keyof Events>(name: N, listener: Events[N]): this {
    return this.on(name, listener);
  }

  removeListener<N extends keyof Events>(name: N, listener: Events[N]): this {
    return this.off(name, listener);
  }

  removeAllListeners(name?: keyof Events): this {
    if (name === undefined) this.#listeners.clear();
    else this.#listeners.delete(name);
    return this;
  }

  listenerCount(name: keyof Events): number {
    return this.#listeners.get(name)?.length ?? 0;
  }

  listeners<N extends keyof Events>(name: N): Events[N][] {
    return [...(this.#listeners.get(name) ?? [])] as Events[N][];
  }

  eventNames(): (keyof Events)[] {
    return [...this.#listeners.keys()];
  }

  /** There is no limit to listeners here; the method is there for those who call it. */
  setMaxListeners(_count: number): this {
    return this;
  }

  emit<N extends keyof Events>(name: N, ...values: Parameters<Events[N]>): boolean {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) return false;
    for (const listener of [...listeners]) listener(...(values as never[]));
    return true;
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
      // A listener's mistake is the application's: it is told where it asked to be told, and fails no operation.
      if (emitter.listenerCount('error') > 0) emitter.emit('error', error as Error);
    }
  },
});

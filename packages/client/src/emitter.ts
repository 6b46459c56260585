import type { Clock, EventName, EventSink } from '@tessera/contracts';
import { Described } from './described.js';
import type { MonitoringTimes } from './descriptions.js';
import type { EventOf } from './event-classes.js';
import { toInstance } from './event-instances.js';
import { argument, checkArgument } from './operation-options.js';

/** A function that is called with the arguments of an event. */
// oxlint-disable-next-line typescript/no-explicit-any -- listeners of different events take different arguments
export type GenericListener = (...values: any[]) => void;
/** Names of events with the types of their listeners. */
export type EventsDescription = Record<string, GenericListener>;
/**
 * The events that every emitter has, as in Node.js: `newListener` is emitted before a listener is added, and
 * `removeListener` after one is removed.
 */
export type CommonEvents = 'newListener' | 'removeListener';

type Listener = GenericListener;
type Name = string | symbol;
type OfListeners = (eventName: Name, listener: GenericListener) => void;

export interface Registration {
  /** The listener as it was passed. */
  readonly listener: Listener;
  readonly isOnce: boolean;
  /** Whether a listener of `once` was called. */
  hasRun?: boolean;
}

/**
 * Stores listeners by event name. Has the members of Node.js's EventEmitter, except that `emit('error')` without a
 * listener does not throw.
 */
export class TypedEmitter<Events extends EventsDescription> extends Described {
  /** Created for the first listener, because most emitters never have one. */
  #registrations: Map<Name, readonly Registration[]> | undefined;

  /** Adds a listener for the event. */
  on<N extends keyof Events>(name: N, listener: Events[N]): this;
  /** Adds a listener for the event. */
  on(name: CommonEvents, listener: OfListeners): this;
  /** Adds a listener for an event of another name. */
  on(name: Name, listener: GenericListener): this;
  on(name: Name, listener: GenericListener): this {
    return this.add(name, { listener, isOnce: false }, 'last');
  }

  /** Adds a listener that is removed before its first call. */
  once<N extends keyof Events>(name: N, listener: Events[N]): this;
  /** Adds a listener that is removed before its first call. */
  once(name: CommonEvents, listener: OfListeners): this;
  /** Adds a listener for an event of another name. It is removed before its first call. */
  once(name: Name, listener: GenericListener): this;
  once(name: Name, listener: GenericListener): this {
    return this.add(name, { listener, isOnce: true }, 'last');
  }

  /** Like `on`, but inserts the listener before the existing ones. */
  prependListener<N extends keyof Events>(name: N, listener: Events[N]): this;
  /** Like `on`, but inserts the listener before the existing ones. */
  prependListener(name: CommonEvents, listener: OfListeners): this;
  /** Inserts a listener for an event of another name before the existing ones. */
  prependListener(name: Name, listener: GenericListener): this;
  prependListener(name: Name, listener: GenericListener): this {
    return this.add(name, { listener, isOnce: false }, 'first');
  }

  /** Like `once`, but inserts the listener before the existing ones. */
  prependOnceListener<N extends keyof Events>(name: N, listener: Events[N]): this;
  /** Like `once`, but inserts the listener before the existing ones. */
  prependOnceListener(name: CommonEvents, listener: OfListeners): this;
  /** Like `once`, for an event of another name, but inserts the listener before the existing ones. */
  prependOnceListener(name: Name, listener: GenericListener): this;
  prependOnceListener(name: Name, listener: GenericListener): this {
    return this.add(name, { listener, isOnce: true }, 'first');
  }

  /** Removes the newest registration of the listener. */
  off<N extends keyof Events>(name: N, listener: Events[N]): this;
  /** Removes the newest registration of the listener. */
  off(name: CommonEvents, listener: OfListeners): this;
  /** Removes the newest registration of the listener for an event of another name. */
  off(name: Name, listener: GenericListener): this;
  off(name: Name, listener: GenericListener): this {
    const one = this.#of(name).findLast(known => known.listener === listener);
    if (one !== undefined) this.#take(name, one);
    return this;
  }

  /** Adds a listener, as `on` does. */
  addListener<N extends keyof Events>(name: N, listener: Events[N]): this;
  /** Adds a listener, as `on` does. */
  addListener(name: CommonEvents, listener: OfListeners): this;
  /** Adds a listener for an event of another name, as `on` does. */
  addListener(name: Name, listener: GenericListener): this;
  addListener(name: Name, listener: GenericListener): this {
    return this.on(name, listener);
  }

  /** Removes a listener, as `off` does. */
  removeListener<N extends keyof Events>(name: N, listener: Events[N]): this;
  /** Removes a listener, as `off` does. */
  removeListener(name: CommonEvents, listener: OfListeners): this;
  /** Removes a listener for an event of another name, as `off` does. */
  removeListener(name: Name, listener: GenericListener): this;
  removeListener(name: Name, listener: GenericListener): this {
    return this.off(name, listener);
  }

  /** Removes all listeners of the event, or of all events. */
  removeAllListeners(name?: keyof Events | Name): this {
    if (name === undefined) {
      for (const each of this.eventNames()) if (each !== 'removeListener') this.removeAllListeners(each);
      this.#registrations?.clear();
    } else for (const one of this.#of(name as Name).toReversed()) this.#take(name as Name, one);
    return this;
  }

  /** Returns the number of listeners of the event. */
  listenerCount(name: keyof Events | Name): number {
    return this.#registrations?.get(name as Name)?.length ?? 0;
  }

  /** Returns the listeners of the event. */
  listeners<N extends keyof Events>(name: N | Name): Events[N][] {
    return this.#of(name as Name).map(({ listener }) => listener) as Events[N][];
  }

  /** Returns the listeners. Unlike in Node.js, those of `once` are not wrapped. */
  rawListeners<N extends keyof Events>(name: N | Name): Events[N][] {
    return this.listeners(name);
  }

  /** Returns the names of events that have listeners. */
  eventNames(): string[] {
    return [...(this.#registrations?.keys() ?? [])] as string[];
  }

  /** Does nothing, because the number of listeners is not limited. For compatibility with Node.js. */
  setMaxListeners(_count: number): this {
    return this;
  }

  /** Returns 0, which means no limit in Node.js. */
  getMaxListeners(): number {
    return 0;
  }

  /** Calls the listeners of the event. Returns whether there was one; an `error` without a listener does not throw. */
  emit<N extends keyof Events>(name: N | symbol, ...values: Parameters<Events[N]>): boolean {
    const registrations = this.#registrations?.get(name as Name);
    if (registrations === undefined) return false;
    for (const one of registrations) {
      if (one.isOnce) {
        // A listener that ran before may have emitted the same event.
        if (one.hasRun === true) continue;
        one.hasRun = true;
        this.#take(name as Name, one);
      }
      one.listener(...values);
    }
    return true;
  }

  #of(name: Name): readonly Registration[] {
    return this.#registrations?.get(name) ?? [];
  }

  /** Adds a listener. All methods that add one call this method. */
  protected add(name: Name, one: Registration, place: 'first' | 'last'): this {
    checkArgument('listener', one.listener, argument.callback);
    this.#emitCommon('newListener', name, one);
    const known = this.#of(name);
    this.#registrations ??= new Map();
    this.#registrations.set(name, place === 'first' ? [one, ...known] : [...known, one]);
    return this;
  }

  #take(name: Name, one: Registration): void {
    const left = this.#of(name).filter(known => known !== one);
    if (left.length === 0) this.#registrations?.delete(name);
    else this.#registrations?.set(name, left);
    this.#emitCommon('removeListener', name, one);
  }

  #emitCommon(event: CommonEvents, name: Name, { listener }: Registration): void {
    if (this.listenerCount(event) > 0)
      (this as unknown as TypedEmitter<Record<CommonEvents, OfListeners>>).emit(event, name, listener);
  }
}

/** The events of a client with the arguments of their listeners. */
export type MongoClientEvents = {
  readonly [N in EventName]: (event: EventOf<N>) => void;
} & {
  /** A call of `connect` succeeded and opened the client. Not emitted if the client was open already. */
  open: (client: unknown) => void;
  /** The client is closed. */
  close: () => void;
  /** A listener threw an error. */
  error: (error: Error) => void;
  /** Never emitted. For compatibility. */
  timeout: () => void;
};

/** An object with the clock that schedules uncaught exceptions. */
export interface Timed {
  readonly clock: Clock;
}

/** Returns a sink that emits the driver's events on the client, as instances of their classes. */
export const createSink = (
  client: TypedEmitter<MongoClientEvents>,
  timed: Timed,
  times: MonitoringTimes,
): EventSink => {
  const emitter = client as unknown as TypedEmitter<Record<EventName, (event: object) => void>>;
  const wants = (name: EventName): boolean => emitter.listenerCount(name) > 0;
  return {
    wants,
    emit: event => {
      // The driver creates an event for the log, too.
      if (wants(event.name)) emitSafely(emitter, timed, event.name, toInstance(event, timed.clock, times));
    },
  };
};

/**
 * Emits an event without failing the operation that emits it. An exception of a listener is emitted as `error`. An
 * error without an `error` listener, or an exception of an `error` listener, becomes an uncaught exception in a later
 * turn.
 */
export const emitSafely = <Events extends EventsDescription, N extends keyof Events>(
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

/** Throws the error in a timer's callback, which makes it an uncaught exception. */
const surface = ({ clock }: Timed, error: unknown): void => {
  clock.startTimer(0, () => {
    throw error;
  });
};

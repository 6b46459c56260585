import { EventEmitter, getEventListeners } from 'node:events';

type Method = (this: EventEmitter, ...args: unknown[]) => unknown;

const emitters = new Set<WeakRef<EventEmitter>>();
const targets = new Map<WeakRef<EventTarget>, Set<string>>();
const seen = new WeakMap<object, WeakRef<object>>();

const refOf = <T extends object>(value: T): WeakRef<T> => {
  const ref = (seen.get(value) as WeakRef<T> | undefined) ?? new WeakRef(value);
  seen.set(value, ref);
  return ref;
};

const watchEmitters = (): void => {
  const prototype = EventEmitter.prototype as unknown as Record<string, Method>;
  for (const name of ['on', 'addListener', 'once', 'prependListener', 'prependOnceListener']) {
    const real = prototype[name]!;
    prototype[name] = function (...args) {
      emitters.add(refOf(this));
      return real.apply(this, args);
    };
  }
};

const watchTargets = (): void => {
  // The method is called with `this` below.
  // oxlint-disable-next-line typescript/unbound-method
  const real = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...args) {
    const ref = refOf(this);
    targets.set(ref, (targets.get(ref) ?? new Set()).add(args[0]));
    real.apply(this, args);
  };
};

/** Starts tracking every emitter and event target that gets a listener. Call it before the drivers are loaded. */
export const watchListeners = (): void => {
  watchEmitters();
  watchTargets();
};

/** Returns the number of listeners on all tracked objects that are still alive. */
export const countListeners = (): number => {
  let total = 0;
  for (const ref of emitters) {
    const emitter = ref.deref();
    if (emitter === undefined) emitters.delete(ref);
    else for (const name of emitter.eventNames()) total += emitter.listenerCount(name);
  }
  for (const [ref, types] of targets) {
    const target = ref.deref();
    if (target === undefined) targets.delete(ref);
    else for (const type of types) total += getEventListeners(target, type).length;
  }
  return total;
};

/**
 * Returns an object with some members replaced. The other members run with the original object as `this`, so a class with
 * private fields can be wrapped, too.
 */
export const around = <T extends object>(object: T, change: Partial<T>): T =>
  new Proxy(object, {
    get: (_, name) => {
      if (name in change) return Reflect.get(change, name) as unknown;
      const value: unknown = Reflect.get(object, name, object);
      return typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(object) : value;
    },
  });

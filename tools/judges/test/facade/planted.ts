/** Differences that a test plants in this driver. */
import * as driver from '@tessera/mongodb';

type Method = (...args: unknown[]) => unknown;

/** A wrong method in place of the right one. */
interface Plant {
  readonly title: string;
  readonly of: { readonly prototype: object };
  readonly method: string;
  readonly wrong: (right: Method) => (this: unknown, ...args: unknown[]) => unknown;
}

const changed =
  (change: (result: never) => unknown): Plant['wrong'] =>
  right =>
    async function (...args) {
      return change((await right.apply(this, args)) as never);
    };

const { Collection, FindCursor, AggregationCursor, Db } = driver;

export const plants: readonly Plant[] = [
  {
    title: 'the result of insertOne lacks a field',
    of: Collection,
    method: 'insertOne',
    wrong: changed(({ insertedId }: { insertedId: unknown }) => ({ insertedId })),
  },
  {
    title: 'upsertedId is undefined instead of null',
    of: Collection,
    method: 'updateOne',
    wrong: changed((result: object) => ({ ...result, upsertedId: undefined })),
  },
  {
    title: 'findOne returns undefined instead of null',
    of: Collection,
    method: 'findOne',
    wrong: changed((found: unknown) => found ?? undefined),
  },
  {
    title: 'insertedIds is a list',
    of: Collection,
    method: 'insertMany',
    wrong: changed((result: { insertedIds: object }) => ({
      ...result,
      insertedIds: Object.values(result.insertedIds),
    })),
  },
  {
    title: 'a count is a bigint',
    of: Collection,
    method: 'countDocuments',
    wrong: changed((count: number) => BigInt(count)),
  },
  {
    title: 'an error is replaced by another class',
    of: Collection,
    method: 'deleteMany',
    wrong: right =>
      async function (...args) {
        try {
          return await right.apply(this, args);
        } catch (error) {
          throw new Error(String(error), { cause: error });
        }
      },
  },
  {
    title: 'a setter is ignored',
    of: FindCursor,
    method: 'limit',
    wrong: () =>
      function () {
        return this;
      },
  },
  {
    title: 'a sort is replaced',
    of: FindCursor,
    method: 'sort',
    wrong: right =>
      function () {
        return right.call(this, { replaced: 1 });
      },
  },
  {
    title: 'a setter returns a copy',
    of: FindCursor,
    method: 'project',
    wrong: right =>
      function (...args) {
        return (right.apply(this, args) as { clone(): object }).clone();
      },
  },
  {
    title: 'toArray returns a Set',
    of: AggregationCursor,
    method: 'toArray',
    wrong: changed((found: unknown[]) => new Set(found)),
  },
  {
    title: 'a method that throws returns a rejected promise',
    of: Collection,
    method: 'aggregate',
    wrong: right =>
      async function (...args) {
        return right.apply(this, args);
      },
  },
  {
    title: 'an option is dropped',
    of: Collection,
    method: 'updateMany',
    wrong: right =>
      function (filter, update) {
        return right.call(this, filter, update);
      },
  },
  {
    title: 'a command is sent twice',
    of: Db,
    method: 'command',
    wrong: right =>
      async function (...args) {
        await right.apply(this, args);
        return right.apply(this, args);
      },
  },
  {
    title: 'distinct returns its values in another order',
    of: Collection,
    method: 'distinct',
    wrong: changed((values: unknown[]) => values.toReversed()),
  },
];

/** Returns the object in the chain of prototypes that has the method. */
const ownerOf = (prototype: object, method: string): Record<string, Method> => {
  let at = prototype;
  while (!Object.hasOwn(at, method)) at = Object.getPrototypeOf(at) as object;
  return at as Record<string, Method>;
};

/** Plants a difference, and returns a function that removes it. */
export const plant = ({ of, method, wrong }: Plant): (() => void) => {
  const owner = ownerOf(of.prototype, method);
  const property = Object.getOwnPropertyDescriptor(owner, method)!;
  Object.defineProperty(owner, method, { ...property, value: wrong(owner[method]!) });
  return () => void Object.defineProperty(owner, method, property);
};

/** Types that have no nested paths. */
export type Leaf =
  | string
  | number
  | bigint
  | boolean
  | Date
  | RegExp
  | Uint8Array
  | ((...given: never) => unknown)
  | { readonly _bsontype: string };

import type { Collection } from './collection.js';

/** The approximate bytes that a document needs beside its BSON: its object, its record key and their tree nodes. */
const perRecord = 100;

/** The approximate bytes of an index entry: its key and its tree nodes. */
const perEntry = 50;

/** Returns the approximate memory of a collection with its indexes in bytes. Takes constant time. */
export const memoryOf = ({ bytes, records, indexes, pinned }: Collection): number => {
  let memory = bytes + perRecord * records.size;
  for (const { entries } of indexes) memory += perEntry * entries.size;
  if (pinned !== undefined) memory += pinned.bytes + perRecord * pinned.buckets.size;
  return memory;
};

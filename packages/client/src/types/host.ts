/**
 * The types of the runtime's own objects. A package for one runtime adds members by declaration merging: `readable` is
 * the type of the streams of cursors and change streams, whose chunks have the type `Chunk`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-unused-vars -- packages for a runtime add members
export interface HostTypes<Chunk> {}

/** A stream of the runtime; an AsyncIterable where the runtime's types are not known. */
export type HostReadable<Chunk> =
  HostTypes<Chunk> extends { readable: infer Readable } ? Readable : AsyncIterable<Chunk>;

import type { ObjectId } from '@tessera/contracts';

/**
 * A DBPointer (type 0x0C). npm `bson` has no class for it and reads it as a DBRef. This
 * package does the same unless `keepTypes` is set.
 */
export class DBPointer {
  /** `database.collection` */
  readonly namespace: string;
  readonly id: ObjectId;

  constructor(namespace: string, id: ObjectId) {
    this.namespace = namespace;
    this.id = id;
  }

  get _bsontype(): 'DBPointer' {
    return 'DBPointer';
  }
}

/** The value undefined (type 0x06). Without `keepTypes` it is read as JavaScript's `undefined` and written as null. */
export class BSONUndefined {
  get _bsontype(): 'BSONUndefined' {
    return 'BSONUndefined';
  }
}

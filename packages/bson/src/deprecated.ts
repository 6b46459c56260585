import type { ObjectId } from '@tessera/contracts';

/**
 * A DBPointer (type 0x0C), which npm `bson` has no class for: it reads one as a DBRef, and so does this package unless
 * `keepTypes` is asked for.
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

/** The value undefined (type 0x06), which is otherwise read as JavaScript's `undefined` and written as null. */
export class BSONUndefined {
  get _bsontype(): 'BSONUndefined' {
    return 'BSONUndefined';
  }
}

/** A cursor that has begun, with all that its errors need. */
import type { Cursor } from '@tessera/operations';
import type { Driver } from './assemble.js';
import type { MongoDBNamespace } from './namespace.js';
import type { Called, Caller } from './stack-trace.js';

/** A begun cursor, with the driver and timeout that apply to it. */
export interface Begun {
  readonly cursor: Cursor;
  readonly driver: Driver;
  readonly timeoutMS: number | undefined;
}

/** Describes a read that failed, by the name of its method or command. */
export const failedCall = (
  { cursor, timeoutMS }: Begun,
  method: string,
  namespace: MongoDBNamespace,
  caller: Caller | undefined,
): Called => ({
  method,
  namespace: namespace.toString(),
  caller,
  call: { deadline: cursor.deadline, timeoutMS },
});

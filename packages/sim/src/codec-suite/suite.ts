import type { BsonCodec } from '@tessera/contracts';
import type { ContractCase } from '../case.js';
import { reading } from './reading.js';
import { writing } from './writing.js';

/** Returns the cases of {@link BsonCodec}: the bytes that MongoDB expects, and the values of the official driver. */
export const codecSuite = (bson: BsonCodec): readonly ContractCase[] => [...writing(bson), ...reading(bson)];

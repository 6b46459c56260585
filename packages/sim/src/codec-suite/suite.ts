import type { BsonCodec } from '@tessera/contracts';
import type { ContractCase } from '../case.js';
import { reading } from './reading.js';
import { writing } from './writing.js';

/** The terms of {@link BsonCodec}: bytes that every MongoDB understands, and values as the official driver has them. */
export const codecSuite = (bson: BsonCodec): readonly ContractCase[] => [...writing(bson), ...reading(bson)];

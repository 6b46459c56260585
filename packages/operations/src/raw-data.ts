import type { Attempt, BodyWriter } from '@tessera/contracts';

/** The wire version of MongoDB 8.2. Older servers reject the field. */
const sinceWireVersion = 27;

/** Writes `rawData`, which requests documents in their stored form, such as the buckets of a time series. Rule: CRUD, "rawData". */
export const writeRawData = (writer: BodyWriter, rawData: boolean | undefined, { connection }: Attempt): void => {
  if (rawData !== undefined && connection.hello.maxWireVersion >= sinceWireVersion) writer.value('rawData', rawData);
};

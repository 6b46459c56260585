import type { Attempt, BodyWriter } from '@tessera/contracts';

/** That of MongoDB 8.2; older servers refuse the field. */
const sinceWireVersion = 27;

/** Asks for the stored form of documents, such as the buckets of a time series. Rule: CRUD, "rawData". */
export const writeRawData = (writer: BodyWriter, rawData: boolean | undefined, { connection }: Attempt): void => {
  if (rawData !== undefined && connection.hello.maxWireVersion >= sinceWireVersion) writer.value('rawData', rawData);
};

import type { BsonCodec, Document, Raw } from '@tessera/contracts';

/** Documents that travel as the payload of a mechanism. */
export const toPayload = (bson: BsonCodec, document: Document): Raw => {
  const writer = bson.writer();
  writer.begin(0);
  writer.fields(document);
  writer.endBody();
  return writer.take();
};

/** @throws MongoError `protocol` for what is no document */
export const fromPayload = (bson: BsonCodec, payload: Raw): Document => bson.read(payload).document();

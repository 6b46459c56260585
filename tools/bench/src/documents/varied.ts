import { Long, ObjectId } from 'bson';
import { drawFrom, textFrom } from './chance.js';
import type { Draw, Text } from './chance.js';

export type Document = Record<string, unknown>;

const optional = (draw: Draw, oneIn: number, fields: () => Document): Document => (draw(oneIn) === 0 ? fields() : {});

const author = (draw: Draw, text: Text): Document => ({
  id: draw(100_000_000),
  name: text(5, 20),
  screenName: text(4, 15),
  location: draw(4) === 0 ? null : text(5, 35),
  description: text(20, 140),
  url: draw(2) === 0 ? null : `https://${text(5, 12)}.example/`,
  followers: draw(100_000),
  friends: draw(2000),
  verified: draw(20) === 0,
  since: new Date(1_200_000_000_000 + draw(1_000_000) * 1000),
  language: 'en',
  offset: draw(2) === 0 ? null : -25_200,
});

const mention = (draw: Draw, text: Text): Document => ({
  id: draw(100_000_000),
  name: text(5, 25),
  at: [draw(10), 10 + draw(20)],
});

const post = (draw: Draw, text: Text, index: number): Document => ({
  _id: new ObjectId(`5${index.toString(16).padStart(23, '0')}`),
  text: text(20, 140),
  created: new Date(1_283_456_293_000 + index * 1000),
  source: draw(3) === 0 ? `<a href="https://${text(5, 12)}.example/">${text(4, 10)}</a>` : 'web',
  inReplyTo: draw(2) === 0 ? null : 22_773_233_453 + index,
  reposts: draw(2) === 0 ? null : draw(1000),
  score: draw(1000) / 8,
  place: draw(8) === 0 ? { type: 'Point', coordinates: [draw(180) + 0.5, draw(90) + 0.25] } : null,
  mentions: Array.from({ length: draw(3) }, () => mention(draw, text)),
  tags: Array.from({ length: draw(3) }, () => ({ text: text(3, 12), at: [draw(50), 60 + draw(60)] })),
  author: author(draw, text),
  favorited: draw(2) === 0,
  ...optional(draw, 2, () => ({ sensitive: true })),
  ...optional(draw, 3, () => ({ media: { kind: text(3, 8), width: draw(800), height: draw(600) } })),
  ...optional(draw, 4, () => ({ quoted: Long.fromNumber(draw(1_000_000_000)).multiply(1_000_000_000) })),
});

/**
 * Returns realistic documents of about 900 bytes: texts of different lengths, a tenth of them not ASCII, fields that
 * are
 * often null, and optional keys. The same seed gives the same documents.
 */
export const variedDocuments = (count: number, seed: number = 12_345): readonly Document[] => {
  const draw = drawFrom(seed);
  const text = textFrom(draw);
  return Array.from({ length: count }, (_, index) => post(draw, text, index));
};

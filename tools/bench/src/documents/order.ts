import type { Document } from './varied.js';

/** Returns a document to insert, created from an object literal as in applications. */
export const order = (number: number): Document => ({
  number,
  customer: `customer ${number % 1000}`,
  email: `person.${number % 1000}@shop.example`,
  total: (number % 10_000) / 8,
  currency: 'EUR',
  paid: number % 3 === 0,
  placed: new Date(1_700_000_000_000 + number),
  note: number % 5 === 0 ? 'leave it at the door, please' : null,
  lines: [
    { article: `A-${number % 97}`, pieces: 1 + (number % 4), price: 9.75 },
    { article: `B-${number % 89}`, pieces: 2, price: 12.5 },
  ],
});

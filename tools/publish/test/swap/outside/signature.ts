/** A layer at the level of commands: every one bears a comment, and what the server says to it is heard. */
import { withExchange } from '@tessera/contracts';
import type { Exchange, Layer } from '@tessera/contracts';

export interface Signature {
  readonly layer: Layer;
  /** What was answered to each, in order. */
  readonly heard: readonly string[];
}

export const createSignature = (comment: string): Signature => {
  const heard: string[] = [];
  const exchange: Exchange = {
    append: writer => writer.value('comment', comment),
    received: reply => {
      heard.push(reply.ok ? 'ok' : `refused with ${String(reply.int('code'))}`);
    },
  };
  return {
    heard,
    layer: next => request => next(withExchange(request, exchange)),
  };
};

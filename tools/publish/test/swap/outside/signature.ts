/** A command layer that adds a comment to every command and records every reply. */
import { withExchange } from '@tessera/contracts';
import type { Exchange, Layer } from '@tessera/contracts';

export interface Signature {
  readonly layer: Layer;
  /** The results of all commands, in order. */
  readonly results: readonly string[];
}

export const createSignature = (comment: string): Signature => {
  const results: string[] = [];
  const exchange: Exchange = {
    append: writer => writer.value('comment', comment),
    received: reply => {
      results.push(reply.ok ? 'ok' : `error ${String(reply.int('code'))}`);
    },
  };
  return {
    results,
    layer: next => request => next(withExchange(request, exchange)),
  };
};

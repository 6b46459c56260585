import { describe, expect, test } from 'vitest';
import { MongoInvalidArgumentError, TypedEmitter } from '@tessera/client';
import type { MongoClientEvents } from '@tessera/client';
import type { Clock } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { createSink } from '../src/emitter.js';

interface Events {
  readonly said: (word: string) => void;
}

describe("Node.js's EventEmitter, as far as clients have used it", () => {
  test('off takes away a listener of once, too, and listeners tells the one that was given', () => {
    const emitter = new TypedEmitter<Events>();
    const heard: string[] = [];
    const listener = (word: string): void => void heard.push(word);
    emitter.once('said', listener);
    expect(emitter.listeners('said')).toEqual([listener]);
    emitter.off('said', listener);
    emitter.once('said', listener).emit('said', 'a');
    expect([emitter.emit('said', 'b'), heard, emitter.eventNames()]).toEqual([false, ['a'], []]);
  });

  test.each<unknown>([undefined, null, 'x', {}])('a listener %j is rejected', listener => {
    const emitter = new TypedEmitter<{ readonly a: () => void }>();
    const given = listener as () => void;
    expect(() => emitter.on('a', given)).toThrow(MongoInvalidArgumentError);
    expect(() => emitter.prependOnceListener('a', given)).toThrow('The argument "listener" must be a function');
    expect(emitter.listenerCount('a')).toBe(0);
  });

  test('off takes away one registration of several, the newest', () => {
    const emitter = new TypedEmitter<Events>();
    const heard: string[] = [];
    const listener = (word: string): void => void heard.push(word);
    emitter.on('said', listener).on('said', listener).off('said', listener).emit('said', 'a');
    expect(heard).toEqual(['a']);
  });

  test('prependListener comes before those that are there, prependOnceListener for one event', () => {
    const emitter = new TypedEmitter<Events>();
    const heard: string[] = [];
    const hear = (who: string) => (word: string) => void heard.push(`${who} ${word}`);
    emitter.on('said', hear('last')).prependListener('said', hear('second')).prependOnceListener('said', hear('first'));
    expect([emitter.rawListeners('said').length, emitter.getMaxListeners()]).toEqual([3, 0]);
    emitter.emit('said', 'a');
    emitter.emit('said', 'b');
    expect(heard).toEqual(['first a', 'second a', 'last a', 'second b', 'last b']);
  });
});

describe('the sink of events', () => {
  test('lets no listener throw into the driver: the error of an error listener surfaces in a later turn', () => {
    const emitter = new TypedEmitter<MongoClientEvents>();
    const timers: (() => void)[] = [];
    const startTimer: Clock['startTimer'] = (_after, fire) => {
      timers.push(fire);
      return { cancel: () => undefined };
    };
    const sink = createSink(emitter, {
      clock: { ...createWorld({ turn: () => Promise.resolve() }).runtime.clock, startTimer },
    });
    const mistake = new Error('mine');
    const broken = (): never => {
      throw mistake;
    };
    emitter.on('topologyClosed', broken).on('error', broken);
    expect(() => {
      sink.emit({ name: 'topologyClosed', topologyId: 1 });
    }).not.toThrow();
    expect(timers).toHaveLength(1);
    expect(timers[0]).toThrow(mistake);
  });
});

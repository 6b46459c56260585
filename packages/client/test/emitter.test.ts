import { describe, expect, test } from 'vitest';
import { MongoInvalidArgumentError, TypedEmitter } from '@tessera/client';
import type { MongoClientEvents } from '@tessera/client';
import type { Clock } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { createSink } from '../src/emitter.js';

type Events = {
  readonly said: (word: string) => void;
};

describe("the members of Node.js's EventEmitter that clients have", () => {
  test('off also removes a listener that once added, and listeners returns the original function', () => {
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

  test('off removes only the newest of several registrations', () => {
    const emitter = new TypedEmitter<Events>();
    const heard: string[] = [];
    const listener = (word: string): void => void heard.push(word);
    emitter.on('said', listener).on('said', listener).off('said', listener).emit('said', 'a');
    expect(heard).toEqual(['a']);
  });

  test('prependListener and prependOnceListener insert a listener before the others', () => {
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

describe('the event sink of the driver', () => {
  test('does not let exceptions of listeners into the driver: those of error listeners become uncaught in a later turn', () => {
    const emitter = new TypedEmitter<MongoClientEvents>();
    const timers: (() => void)[] = [];
    const startTimer: Clock['startTimer'] = (_after, fire) => {
      timers.push(fire);
      return { cancel: () => undefined };
    };
    const { clock } = createWorld({ turn: () => Promise.resolve() }).runtime;
    const sink = createSink(emitter, { clock: { ...clock, startTimer } }, {});
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

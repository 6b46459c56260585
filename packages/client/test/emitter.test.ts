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

  test('a listener of once runs once, also if an earlier listener emits the same event', () => {
    const emitter = new TypedEmitter<Events>();
    const heard: string[] = [];
    emitter.once('said', word => {
      if (word === 'a') emitter.emit('said', 'b');
    });
    emitter.once('said', word => void heard.push(word)).emit('said', 'a');
    expect(heard).toEqual(['b']);
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

  test('newListener is emitted before a listener is added, with the event name and the listener', () => {
    const emitter = new TypedEmitter<Events>();
    const heard: unknown[] = [];
    emitter.on('newListener', (name, listener) => heard.push(name, listener, emitter.listenerCount('said')));
    const listener = (): void => undefined;
    emitter.on('said', listener).prependOnceListener('said', listener);
    expect(heard).toEqual(['said', listener, 0, 'said', listener, 1]);
  });

  test('a listener that once adds for newListener is called for one listener only', () => {
    const emitter = new TypedEmitter<Events>();
    const heard: unknown[] = [];
    emitter.once('newListener', name => heard.push(name));
    emitter.on('said', () => undefined).on('said', () => undefined);
    expect([heard, emitter.eventNames()]).toEqual([['said'], ['said']]);
  });

  test('removeListener is emitted after each removal, with the event name and the listener', () => {
    const emitter = new TypedEmitter<Events>();
    const heard: unknown[] = [];
    emitter.on('removeListener', (name, listener) => heard.push(name, listener, emitter.listenerCount('said')));
    const first = (): void => undefined;
    const second = (): void => undefined;
    emitter.once('said', first).emit('said', 'a');
    emitter.on('said', second).off('said', second).off('said', second);
    expect(heard).toEqual(['said', first, 0, 'said', second, 0]);
  });

  test('removeAllListeners emits removeListener for the newest listener first', () => {
    const emitter = new TypedEmitter<Events>();
    const heard: unknown[] = [];
    const first = (): void => undefined;
    const second = (): void => undefined;
    const third = (): void => undefined;
    emitter.on('removeListener', (name, listener) => heard.push(name, listener));
    emitter.on('said', first).on('said', second).removeAllListeners('said');
    emitter.on('other', third).removeAllListeners();
    expect([heard, emitter.eventNames()]).toEqual([['said', second, 'said', first, 'other', third], []]);
  });

  test('emit returns false for an error without listeners and does not throw', () => {
    expect(new TypedEmitter<MongoClientEvents>().emit('error', new Error('lost'))).toBe(false);
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

import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Lookups } from '../src/lookups.js';

type Answer = Parameters<Parameters<LookupFunction>[2]>;
const resolved: Answer = [null, '10.0.0.1', 4];
const unknown: Answer = [new Error('ENOTFOUND'), '', 4];

/** Lookups that the test answers. */
const script = () => {
  const running: { readonly host: string; answer(answer: Answer): void }[] = [];
  const told: string[] = [];
  const { lookup } = new Lookups((host, _options, callback) => {
    const one = {
      host,
      answer: (answer: Answer) => {
        running.splice(running.indexOf(one), 1);
        callback(...answer);
      },
    };
    running.push(one);
  });
  const ask = (...hosts: readonly string[]): void => {
    for (const host of hosts) lookup(host, {}, error => told.push(`${host} ${error === null ? 'ok' : 'failed'}`));
  };
  const hosts = (): readonly string[] => running.map(({ host }) => host);
  const answer = (host: string, answered: Answer): void => {
    running.find(one => one.host === host)!.answer(answered);
  };
  return { ask, hosts, answer, told };
};

const bad = Array.from({ length: 499 }, (_, i) => `bad${i}`);

describe('lookups of host names', () => {
  test('run two at a time for new names, in the order of the calls', () => {
    const { ask, hosts, answer, told } = script();
    ask('a', 'b', 'c');
    expect(hosts()).toEqual(['a', 'b']);
    answer('b', resolved);
    expect([hosts(), told]).toEqual([['a', 'c'], ['b ok']]);
  });

  test('start immediately for a name that resolved before, although 499 unresolvable names wait', () => {
    const { ask, hosts, answer, told } = script();
    ask('seed');
    answer('seed', resolved);
    ask(...bad, 'seed');
    expect(hosts()).toEqual(['bad0', 'bad1', 'seed']);
    answer('seed', resolved);
    expect(told).toEqual(['seed ok', 'seed ok']);
  });

  test('run one at a time for unknown names after such a lookup has failed, until one resolves', () => {
    const { ask, hosts, answer } = script();
    ask(...bad);
    answer('bad0', unknown);
    expect(hosts()).toEqual(['bad1']);
    answer('bad1', unknown);
    expect(hosts()).toEqual(['bad2']);
    answer('bad2', resolved);
    expect(hosts()).toEqual(['bad3', 'bad4']);
  });

  test('serve new names before names that failed the last time', () => {
    const { ask, hosts, answer } = script();
    ask('bad0');
    answer('bad0', unknown);
    ask('x', 'bad0', 'y');
    answer('x', resolved);
    expect(hosts()).toEqual(['y', 'bad0']);
  });

  test('share one lookup for equal names', () => {
    const { ask, hosts, answer, told } = script();
    ask('a', 'a', 'a');
    expect(hosts()).toEqual(['a']);
    answer('a', unknown);
    expect(told).toEqual(['a failed', 'a failed', 'a failed']);
  });

  test('treat a lookup that throws as failed, and continue', async () => {
    const told: unknown[] = [];
    const { lookup } = new Lookups(() => {
      throw new TypeError('wrong hints');
    });
    for (const host of ['a', 'b', 'c']) lookup(host, {}, error => told.push(error?.message));
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(told).toEqual(['wrong hints', 'wrong hints', 'wrong hints']);
  });

  test('run four at a time in total, of which unknown names use two', () => {
    const { ask, hosts, answer } = script();
    const good = ['g0', 'g1', 'g2', 'g3', 'g4'];
    for (const host of good) {
      ask(host);
      answer(host, resolved);
    }
    ask('a', 'b', 'c', ...good);
    expect(hosts()).toEqual(['a', 'b', 'g0', 'g1']);
    answer('a', resolved);
    expect(hosts()).toEqual(['b', 'g0', 'g1', 'g2']);
    answer('b', resolved);
    expect(hosts()).toEqual(['g0', 'g1', 'g2', 'g3']);
    answer('g3', resolved);
    expect(hosts()).toEqual(['g0', 'g1', 'g2', 'g4']);
    answer('g4', resolved);
    expect(hosts()).toEqual(['g0', 'g1', 'g2', 'c']);
  });

  test('do not count a failed lookup of a previously resolved name against new names', () => {
    const { ask, hosts, answer } = script();
    ask('seed');
    answer('seed', resolved);
    ask('seed');
    answer('seed', unknown);
    ask('a', 'b', 'c');
    expect(hosts()).toEqual(['a', 'b']);
  });

  test('are not shared between different options or with a finished lookup', () => {
    const asked: unknown[] = [];
    const callbacks: ((...answer: Answer) => void)[] = [];
    const { lookup } = new Lookups((host, options, callback) => {
      asked.push([host, options]);
      callbacks.push(callback);
    });
    const told: unknown[] = [];
    const tell = (...answer: unknown[]): void => void told.push(answer);
    lookup('a', { family: 4 }, tell);
    lookup('a', { family: 6 }, tell);
    callbacks[0]!(null, '10.0.0.1', 4);
    lookup('a', { family: 4 }, tell);
    expect([asked, told]).toEqual([
      [
        ['a', { family: 4 }],
        ['a', { family: 6 }],
        ['a', { family: 4 }],
      ],
      [[null, '10.0.0.1', 4]],
    ]);
  });

  test('remember the results of the last thousand names', () => {
    const { ask, hosts, answer } = script();
    const resolve = (host: string): void => {
      ask(host);
      answer(host, resolved);
    };
    const inUse = (): readonly string[] => {
      ask('new0', 'new1', 'first', 'second');
      const running = hosts();
      for (const host of ['new0', 'new1', 'first', 'second']) answer(host, resolved);
      return running;
    };
    resolve('first');
    resolve('second');
    for (let n = 0; n < 997; n++) resolve(`host${n}`);
    // Names that resolved before run in addition to two new ones.
    resolve('first');
    resolve('host997');
    expect(inUse()).toEqual(['new0', 'new1', 'first', 'second']);
    for (let n = 0; n < 999; n++) resolve(`other${n}`);
    ask('new2', 'new3', 'first', 'second');
    expect(hosts()).toEqual(['new2', 'new3', 'second']);
  });
});

import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Lookups } from '../src/lookups.js';

type Answer = Parameters<Parameters<LookupFunction>[2]>;
const resolved: Answer = [null, '10.0.0.1', 4];
const unknown: Answer = [new Error('ENOTFOUND'), '', 4];

/** Look-ups that a test answers. */
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

describe('look-ups of host names', () => {
  test('run two at a time for new names, in the order of the calls', () => {
    const { ask, hosts, answer, told } = script();
    ask('a', 'b', 'c');
    expect(hosts()).toEqual(['a', 'b']);
    answer('b', resolved);
    expect([hosts(), told]).toEqual([['a', 'c'], ['b ok']]);
  });

  test('give a name that resolved before a place at once, although 499 names that do not resolve wait', () => {
    const { ask, hosts, answer, told } = script();
    ask('seed');
    answer('seed', resolved);
    ask(...bad, 'seed');
    expect(hosts()).toEqual(['bad0', 'bad1', 'seed']);
    answer('seed', resolved);
    expect(told).toEqual(['seed ok', 'seed ok']);
  });

  test('run one at a time for unknown names once such a look-up has failed, until one resolves', () => {
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

  test('answer all who ask for the same name by one look-up', () => {
    const { ask, hosts, answer, told } = script();
    ask('a', 'a', 'a');
    expect(hosts()).toEqual(['a']);
    answer('a', unknown);
    expect(told).toEqual(['a failed', 'a failed', 'a failed']);
  });

  test('tell a look-up that throws as one that fails, and go on', async () => {
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
});

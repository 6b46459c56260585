import { expect, test } from 'vitest';
import { chart, picture, tag, text } from '../../src/picture/index.js';

test('tag and text escape their content and round numbers to two decimals', () => {
  expect(tag('rect', { x: 1.23456, id: 'a"b' })).toBe('<rect x="1.23" id="a&quot;b"/>');
  expect(text(1, 2, '<&>')).toBe('<text x="1" y="2">&lt;&amp;&gt;</text>');
});

test('picture contains its title and size', () => {
  const drawn = picture(10, 20, { title: 'a & b', description: 'c' }, []);
  expect(drawn).toContain('<title>a &amp; b</title>');
  expect(drawn).toContain('viewBox="0 0 10 20"');
});

const frame = { x: 0, y: 0, width: 276, height: 172, title: 'T', xTitle: 's', yTitle: 'n' };

test('chart scales a curve to its frame', () => {
  const curves = [
    {
      name: 'c',
      color: 'red',
      points: [
        [0, 0],
        [10, 5],
      ] as const,
    },
  ];
  expect(chart({ ...frame, curves })).toContain('points="62.0,130.0 262.0,30.0"');
});

test('powers of ten have equal distances on a logarithmic axis', () => {
  const curves = [
    {
      name: 'c',
      color: 'red',
      points: [
        [0, 1],
        [5, 10],
        [10, 100],
      ] as const,
    },
  ];
  expect(chart({ ...frame, curves, logarithmic: true })).toContain('points="62.0,130.0 162.0,80.0 262.0,30.0"');
});

import { expect, test } from 'vitest';
import { withContent } from '../src/page.js';

test('withContent keeps the text around the markers, and throws if they are missing', () => {
  expect(withContent('a\n<!-- bench -->\nold\n<!-- /bench -->\nb', 'bench', 'new')).toBe(
    'a\n<!-- bench -->\n\nnew\n\n<!-- /bench -->\nb',
  );
  expect(() => withContent('no markers', 'bench', 'new')).toThrow(
    'The page lacks the markers <!-- bench --> and <!-- /bench -->.',
  );
});

import { expect, test } from 'vitest';
import { withContent } from '../src/page.js';

test('a page keeps what stands around the markers, and one without them is refused', () => {
  expect(withContent('a\n<!-- bench -->\nold\n<!-- /bench -->\nb', 'bench', 'new')).toBe(
    'a\n<!-- bench -->\n\nnew\n\n<!-- /bench -->\nb',
  );
  expect(() => withContent('no markers', 'bench', 'new')).toThrow(
    'The page has no place for what goes between <!-- bench --> and <!-- /bench -->.',
  );
});

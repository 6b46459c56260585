/** SVG as text: no clock, no chance, no fonts measured, so the same figures give the same bytes. */

export type Attributes = Readonly<Record<string, string | number>>;

const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Two decimals: what is finer nobody sees. */
const written = (value: string | number): string =>
  typeof value === 'number' ? String(Math.round(value * 100) / 100) : escaped(value);

const attributesOf = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${written(value)}"`)
    .join('');

export const tag = (name: string, attributes: Attributes, children: readonly string[] = []): string =>
  children.length === 0
    ? `<${name}${attributesOf(attributes)}/>`
    : `<${name}${attributesOf(attributes)}>${children.join('')}</${name}>`;

export const text = (x: number, y: number, content: string, attributes: Attributes = {}): string =>
  tag('text', { x, y, ...attributes }, [escaped(content)]);

/** Told apart by those who see few colours, and in print. */
export const colours = {
  ink: '#1f2933',
  faint: '#9aa5b1',
  line: '#d9e2ec',
  paper: '#ffffff',
  good: '#d3f0e0',
  fair: '#fdf0c8',
  bad: '#fbd5d0',
  curves: ['#0b7285', '#c92a2a', '#5f3dc4', '#e67700', '#2b8a3e', '#495057'],
} as const;

/** A whole picture; title and description are for those who do not see it. */
export const picture = (
  width: number,
  height: number,
  { title, description }: { readonly title: string; readonly description: string },
  children: readonly string[],
): string =>
  `${tag(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'font-family': 'system-ui, sans-serif',
      'font-size': 13,
      fill: colours.ink,
    },
    [
      `\n${tag('title', {}, [escaped(title)])}`,
      `\n${tag('desc', {}, [escaped(description)])}`,
      `\n${tag('rect', { width, height, fill: colours.paper })}`,
      ...children.map(child => `\n${child}`),
      '\n',
    ],
  )}\n`;

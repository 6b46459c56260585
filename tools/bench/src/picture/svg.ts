/** Builds SVG text. The output is deterministic: it depends only on the figures. */

export type Attributes = Readonly<Record<string, string | number>>;

const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Formats an attribute. Numbers are rounded to two decimals. */
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

/** Colors that are distinguishable in print and with color blindness. */
export const colors = {
  ink: '#1f2933',
  faint: '#9aa5b1',
  line: '#d9e2ec',
  paper: '#ffffff',
  good: '#d3f0e0',
  fair: '#fdf0c8',
  bad: '#fbd5d0',
  curves: ['#0b7285', '#c92a2a', '#5f3dc4', '#e67700', '#2b8a3e', '#495057'],
} as const;

/** Returns a complete SVG document. The title and description are for screen readers. */
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
      fill: colors.ink,
    },
    [
      `\n${tag('title', {}, [escaped(title)])}`,
      `\n${tag('desc', {}, [escaped(description)])}`,
      `\n${tag('rect', { width, height, fill: colors.paper })}`,
      ...children.map(child => `\n${child}`),
      '\n',
    ],
  )}\n`;

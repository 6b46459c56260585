/** Replaces each piece of code, list of code and quotation by one word, and each link by its text. */
const plain = (text: string): string =>
  text
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/``[\s\S]*?``|`[^`]*`/g, 'Code')
    .replace(/"[^"\n]*"|“[^”]*”/g, 'Quote')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\{@link [^}]*\}/g, 'Code')
    .replace(/Code(?:(?:, | and | or )Code)+/g, 'Code')
    .replace(/[*_]{1,2}(?=\w)|(?<=[\w.:,?!)])[*_]{1,2}/g, '');

/** Returns the sentences in the paragraphs, entries of lists, cells of tables and headings of a text. */
export function sentencesOf(text: string): readonly string[] {
  return plain(text)
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)|(?<=^#.*)\n|\s*\|\s*/m)
    .flatMap(paragraph => paragraph.replace(/^\s*(?:[-*]|\d+\.|#+) /, '').split(/(?<=[.!?]\)?)\s+(?=[A-Z("])/))
    .map(sentence => sentence.replace(/\s+/g, ' ').trim())
    .filter(sentence => sentence !== '');
}

/** Returns a Markdown page without its front matter, examples and the rules of its tables. */
export const proseOf = (page: string): string =>
  page
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^(\s*)```[\s\S]*?^\1```$/gm, '')
    .replace(/^ {4,}\S.*$/gm, '')
    .replace(/^\|[ :|-]+\|$/gm, '');

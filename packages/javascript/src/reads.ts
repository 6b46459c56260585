/** Names under which a script can reach its whole document, or code that it makes from text. */
const evasive = /\\u|\b(?:eval|Function|globalThis|arguments|constructor|call|apply|bind|with|import)\b/;

/** An occurrence of the document. A capture means that only a field of it is read there. */
const occurrence = /\b(?:this|obj)\b(?:\s*\.\s*([A-Za-z_$][\w$]*))?/g;

/**
 * Returns the names of the document's fields that a predicate reads, or undefined if it might read others. Names in
 * texts and comments count as well, which only adds fields.
 */
export const fieldsRead = (source: string): ReadonlySet<string> | undefined => {
  if (evasive.test(source)) return undefined;
  const names = new Set<string>();
  for (const [, name] of source.matchAll(occurrence)) {
    if (name === undefined || name in Object.prototype) return undefined;
    names.add(name);
  }
  return names;
};

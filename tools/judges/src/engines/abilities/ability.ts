/** What the driver can do on an engine; the rows of the table. */
export const abilities = [
  'discovery',
  'CRUD',
  'cursors',
  'change streams',
  'SCRAM-SHA-1',
  'SCRAM-SHA-256',
  'X.509',
  'TLS',
] as const;

export type Ability = (typeof abilities)[number];

/** What was found of an ability; a reason is one sentence. */
export type Outcome =
  | { readonly is: 'yes' }
  | { readonly is: 'no'; readonly reason: string }
  /** The engine does not have it, so nothing was tried. */
  | { readonly is: 'not offered'; readonly reason: string }
  /** The engine cannot be had on this machine. */
  | { readonly is: 'skipped'; readonly reason: string };

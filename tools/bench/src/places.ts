/** Where the work of the drivers is done: what each of the servers listens on, at this machine. */
export interface Places {
  /** The null server in the clear, */
  readonly port: number;
  /** by TLS, */
  readonly tlsPort: number;
  /** of whose certificate this authority in PEM is the issuer, */
  readonly authority: string;
  /** and where it wants everything compressed by zlib. */
  readonly zlibPort: number;
  /** An embedded server that knows the users of users.ts, if anything is measured there. */
  readonly usersPort: number | undefined;
}

/** What the null server tells of itself. */
export type NullPlaces = Omit<Places, 'usersPort'>;

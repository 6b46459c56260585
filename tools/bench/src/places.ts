/** The local ports of the servers that the drivers connect to. */
export interface Places {
  /** The null server without TLS. */
  readonly port: number;
  /** The null server with TLS. */
  readonly tlsPort: number;
  /** The authority that issued the null server's certificate, in PEM. */
  readonly authority: string;
  /** The null server that requires zlib compression. */
  readonly zlibPort: number;
  /** The null server as a mongos, at each address of `127.0.0.0/8`. */
  readonly mongosPort: number;
  /** The length of the file that GridFS reads and writes. */
  readonly fileBytes: number;
  /** The embedded server with the users of users.ts, if a row needs it. */
  readonly usersPort: number | undefined;
}

/** The ports and the authority that the null server reports. */
export type NullPlaces = Omit<Places, 'usersPort' | 'fileBytes'>;

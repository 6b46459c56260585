/** Where the driver runs, for the `client` document of the handshake. Rule: MongoDB Handshake. */
export interface Platform {
  readonly os: {
    readonly type: string;
    readonly name?: string;
    readonly architecture?: string;
    readonly version?: string;
  };
  /** For example `Node.js v20.20.2, LE`. */
  readonly runtime: string;
  /** What the process is packed in, where that can be told: `docker`. */
  readonly container?: string | undefined;
}

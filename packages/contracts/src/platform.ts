/** The operating system and runtime, for the `client` document of the handshake. Rule: MongoDB Handshake. */
export interface Platform {
  /** The operating system. */
  readonly os: {
    /** `Linux`, `Darwin`, `Windows_NT` … */
    readonly type: string;
    /** The host's name of the system, such as `linux`. */
    readonly name?: string;
    /** The processor architecture, such as `x64`. */
    readonly architecture?: string;
    /** The version of the system, such as `6.8.0`. */
    readonly version?: string;
  };
  /** Name, version and byte order of the JavaScript runtime, such as `Node.js v20.20.2, LE`. */
  readonly runtime: string;
  /** The container runtime of the process, such as `docker`, if it can be detected. */
  readonly container?: string | undefined;
}

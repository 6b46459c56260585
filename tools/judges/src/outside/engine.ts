/** An installed engine: the command that starts it. */
export interface Installed {
  readonly file: string;
  readonly args: readonly string[];
}

/** PEM files for the TLS of an engine. */
export interface TlsFiles {
  readonly certificate: string;
  /** PKCS #8, without a password. */
  readonly key: string;
  /** The authority that signs client certificates. */
  readonly authority: string;
}

/**
 * A server of another project that implements the wire protocol. It prints `listening on 127.0.0.1:PORT` when it is
 * ready.
 */
export interface Engine {
  /** The description in the list of engines. */
  readonly description: string;
  /**
   * Installs the engine on first use.
   * @throws Unavailable if a program that the installation needs is missing
   */
  install(signal: AbortSignal | undefined): Promise<Installed>;
  /** Returns additional arguments and the query of the connection string. */
  persona(standalone: boolean): { readonly args: readonly string[]; readonly query: string };
  /** Returns the arguments with which the engine accepts only TLS. */
  tls(files: TlsFiles): readonly string[];
  /** The arguments with which the engine requires authentication, or undefined if it cannot. */
  readonly auth: readonly string[] | undefined;
}

/** What is installed of an engine: how it is started, in a folder of its own. */
export interface Installed {
  readonly file: string;
  readonly args: readonly string[];
}

/** Files in PEM with which an engine speaks TLS. */
export interface TlsFiles {
  readonly certificate: string;
  /** PKCS #8, without a password. */
  readonly key: string;
  /** Who signs the certificates of clients. */
  readonly authority: string;
}

/** A program that speaks the protocol and that nobody here wrote. It says `listening on 127.0.0.1:PORT` when it is ready. */
export interface Engine {
  /** For the list of engines. */
  readonly description: string;
  /** Installs it on first use. @throws Unavailable */
  install(signal: AbortSignal | undefined): Promise<Installed>;
  /** More arguments, and what goes into the query of the connection string. */
  persona(standalone: boolean): { readonly args: readonly string[]; readonly query: string };
  /** The arguments with which it speaks TLS and nothing else. */
  tls(files: TlsFiles): readonly string[];
  /** The arguments with which it asks for a password; none, if it never does. */
  readonly auth: readonly string[] | undefined;
}

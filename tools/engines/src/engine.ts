/** What is installed of an engine: how it is started, in a folder of its own. */
export interface Installed {
  readonly file: string;
  readonly args: readonly string[];
}

/** A program that speaks the protocol and that nobody here wrote. It says `listening on 127.0.0.1:PORT` when it is ready. */
export interface Engine {
  /** For the list of engines. */
  readonly description: string;
  /** Installs it on first use. @throws Unavailable */
  install(signal: AbortSignal | undefined): Promise<Installed>;
  /** More arguments, and the query of the connection string. */
  persona(standalone: boolean): { readonly args: readonly string[]; readonly query: string };
}

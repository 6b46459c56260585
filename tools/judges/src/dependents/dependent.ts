/** A package of npm that uses `mongodb`, with a program. */
export interface Dependent {
  readonly name: string;
  /** The packages to install, with their versions. */
  readonly packages: Readonly<Record<string, string>>;
  /** The program's file in `tools/judges/programs/dependents`. */
  readonly program: string;
  /** Whether a short run includes the program. Default: false. */
  readonly short?: boolean;
  /** Whether npm has to ignore peer dependencies that exclude version 7 of the driver. Default: false. */
  readonly ignoresPeers?: boolean;
  /** The steps whose output intentionally differs between the drivers, with the reasons. Default: none. */
  readonly explained?: Readonly<Record<string, string>>;
}

/** A package that cannot be compared here, with the reason. */
export interface Excluded {
  readonly name: string;
  readonly reason: string;
}

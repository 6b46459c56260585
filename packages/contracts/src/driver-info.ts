/** The name of a library built on the driver, which the handshake sends to servers. Rule: MongoDB Handshake, "Supporting Wrapping Libraries". */
export interface DriverInfo {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly platform?: string | undefined;
}

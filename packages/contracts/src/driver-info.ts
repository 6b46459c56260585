/**
 * A library built on the driver. The handshake sends these fields to servers. Rule: MongoDB Handshake, "Supporting Wrapping
 * Libraries".
 */
export interface DriverInfo {
  /** The name of the library. */
  name?: string | undefined;
  /** The version of the library. */
  version?: string | undefined;
  /** The platform of the library, such as its runtime. */
  platform?: string | undefined;
}

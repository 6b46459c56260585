/**
 * A library built on the driver. The handshake sends these fields to servers. Rule: MongoDB Handshake, "Supporting Wrapping
 * Libraries".
 */
export interface DriverInfo {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly platform?: string | undefined;
}

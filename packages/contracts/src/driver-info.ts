/**
 * A library built on the driver. The handshake sends these fields to servers. Rule: MongoDB Handshake, "Supporting Wrapping
 * Libraries".
 */
export interface DriverInfo {
  name?: string | undefined;
  version?: string | undefined;
  platform?: string | undefined;
}

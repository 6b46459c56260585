/** Sent to servers in the handshake. A test checks that it equals the version in package.json. */
export const version: string = '0.0.0';

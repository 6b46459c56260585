/** Told to servers. The same as in package.json, as a test sees to. */
export const version: string = '0.0.0';

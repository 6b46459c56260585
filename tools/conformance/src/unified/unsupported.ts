/** What a test asks for and this runner cannot do: the test counts as skipped, with this as its reason. */
export class Unsupported extends Error {}

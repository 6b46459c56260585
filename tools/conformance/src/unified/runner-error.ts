/** The test asks for what there is not, or a part of it makes no sense: no expectation of an error makes up for that. */
export class RunnerError extends Error {}

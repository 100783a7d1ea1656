/** Raised with each change of the demo world: a database that holds an older one is loaded again at the next start. */
export const worldVersion = 4

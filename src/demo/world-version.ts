/** Raised with each change to the demo world: a database with an older version is reloaded at the next start. */
export const worldVersion = 11

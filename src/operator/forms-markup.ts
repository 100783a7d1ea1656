/** The tokens of the forms of a page, by where they are sent. */
export type TokenOf = (path: string) => string

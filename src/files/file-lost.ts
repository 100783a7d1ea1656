import { Problem } from '../core/problems.ts'

/** The store answers, and what it has of this file is nothing, or something else. A store that is away tells otherwise. */
export class FileLost extends Problem {}

import { Problem } from '../core/problems.ts'

/** The store is available, but the file is missing or not the one that was stored. An outage throws another error. */
export class FileLost extends Problem {}

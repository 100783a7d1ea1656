/** True in `npm run test:long`, which runs the test files that import this module. */
export const isLongRun = process.env['TEST_LONG'] !== undefined

/** How often a test repeats itself: `short` in `npm test`, `full` in `npm run test:long`. */
export const times = (short: number, full: number): number => (isLongRun ? full : short)

import { test } from 'node:test'

/** True in `npm run test:long`, which runs the test files that import this module. */
export const isLongRun = process.env['TEST_LONG'] !== undefined

/** How often a test repeats itself: `short` in `npm test`, `full` in `npm run test:long`. */
export const times = (short: number, full: number): number => (isLongRun ? full : short)

/** The first of these in `npm test`, all of them in `npm run test:long`. */
export const some = <const T>(short: number, all: readonly T[]): readonly T[] =>
  isLongRun ? all : all.slice(0, short)

/** A test for `npm run test:long` alone: another form of what a test of `npm test` shows, and as expensive. */
export const longTest: typeof test | (() => void) = isLongRun ? test : () => {}

/**
 * Chooses the random values of a run, those of fast-check too (run-files.ts): another seed gives others. `npm test` takes the same each
 * time, so that no change fails by chance; the long run, and each round of `--times`, takes another one and prints it.
 */
export const seed = Number(process.env['TEST_SEED'] ?? 1)

/** A generator of numbers from 0 to 1 that repeats itself for each seed (mulberry32). */
export function seeded(from: number = seed): () => number {
  let state = from
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

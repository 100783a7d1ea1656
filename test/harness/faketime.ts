import { globSync, writeFileSync } from 'node:fs'

/** The library that gives a process another clock. */
export const findFaketime = (): string | undefined => globSync('/usr/lib/{*,*/*}/libfaketimeMT.so.1').at(0)

/** For a process whose system clock the test moves while it runs; its steady clock stays as it is. */
export function movableSystemClock(library: string, path: string) {
  const move = (seconds: number) => writeFileSync(path, `${seconds < 0 ? '' : '+'}${seconds}`)
  move(0)
  return {
    move,
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
  }
}

import type { KeptVersion } from '../model/ad-version.ts'
import type { Clock } from '../platform/core/clock.ts'
import type { AdVersionStore } from './ad-version-store.ts'

export type AdVersions = ReturnType<typeof createAdVersions>

/** The versions of everything that an advertiser has published. */
export function createAdVersions(store: AdVersionStore, clock: Clock) {
  return {
    /**
     * Lists versions ad by ad, oldest first, a few at a time. First adds versions of ads that a release without
     * versions has published.
     */
    async *all(advertiserId: number): AsyncGenerator<KeptVersion[]> {
      for (let afterId: number | undefined = 0; afterId !== undefined; )
        afterId = await store.keepNext(advertiserId, afterId, clock())
      let after = { jobAdId: 0, version: 0 }
      for (;;) {
        const versions = await store.list(advertiserId, after)
        const last = versions.at(-1)
        if (last === undefined) return
        yield versions
        after = last
      }
    },
  }
}

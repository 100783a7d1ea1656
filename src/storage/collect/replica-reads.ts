import type { Replica } from '../database/tables.ts'
import { type ApplicationReads, replicaReads } from './application-reads.ts'

/** Reads from the replica first, and from the primary if the replica has no result. */
export function readsThrough(replica: Replica, primary: ApplicationReads): ApplicationReads {
  const there = replicaReads(replica)

  async function ask<T>(version: number | undefined, read: (version: number) => Promise<T | undefined>) {
    return version === undefined ? undefined : replica.ask(() => read(version))
  }

  return {
    async resolveBounds(advertiserId, dates, version) {
      const bounds = await ask(version, needed => there.resolveBounds(advertiserId, dates, needed))
      return bounds ?? primary.resolveBounds(advertiserId, dates)
    },

    async page(advertiserId, request, version) {
      const page = await ask(version, needed => there.page(advertiserId, request, needed))
      return page ?? primary.page(advertiserId, request)
    },

    async file(advertiserId, applicationId, type, version) {
      const file = await ask(version, needed => there.file(advertiserId, applicationId, type, needed))
      return file ?? primary.file(advertiserId, applicationId, type)
    },

    async screen(advertiserId, applicationId, format, version) {
      const text = await ask(version, needed => there.screen(advertiserId, applicationId, format, needed))
      return text ?? primary.screen(advertiserId, applicationId, format)
    },
  }
}

import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, RouteOptions } from 'fastify'
import { versionCells, versionHead } from '../../jobs/ad-version-export.ts'
import type { AdVersions } from '../../jobs/ad-version-service.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { dayIn } from '../../platform/core/time/time-zone.ts'
import type { Slots } from '../../platform/http/rates/slots.ts'
import { sendChunks } from '../../platform/http/responses/chunked-response.ts'
import { byteOrderMark, csvLine } from '../../platform/web/csv.ts'
import { adminPage } from '../../platform/web/page-routes.ts'
import { takeExport } from '../applications/pages.ts'

/** Every version of every job ad of the company, as a table. */
export function adVersionsPage({
  adVersions,
  exports,
  clock,
}: {
  adVersions: AdVersions
  /** Shared with the exports of applications. */
  exports: Slots
  clock: Clock
}): RouteOptions {
  return adminPage.get('/console/:advertiserId/jobs/versions.csv', (call): FastifyReply => {
    const { request, reply, caller } = call
    const { advertiserId, timeZone } = caller
    reply.headers({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': contentDisposition(`job-ads-${dayIn(clock(), timeZone)}.csv`),
      'cache-control': 'private, no-store',
    })
    if (request.method === 'HEAD') return reply.send()
    takeExport(exports, call)
    return sendChunks(reply, lines(adVersions.all(advertiserId)))
  })
}

async function* lines(versions: ReturnType<AdVersions['all']>): AsyncGenerator<Buffer> {
  yield Buffer.from(byteOrderMark + csvLine(versionHead))
  for await (const chunk of versions)
    yield Buffer.from(chunk.map(version => csvLine(versionCells(version))).join(''))
}

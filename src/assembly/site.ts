import type { RouteOptions } from 'fastify'
import { jobRows, searchMarkup } from '../jobs/markup.ts'
import { limits as limitTable } from '../limits.ts'
import { aboutDataPage } from '../site/about/pages.ts'
import { docsFiles } from '../site/docs/files-adapter.ts'
import { docsPages } from '../site/docs/pages.ts'
import { homeRoutes } from '../site/home/pages.ts'
import { themeRoute } from '../site/home/theme-routes.ts'
import { assetRoutes } from '../web/assets.ts'

import type { AdvertiserModule } from './advertisers.ts'
import type { JobModule } from './jobs.ts'
import type { Web } from './web.ts'

/** The front page, the developer documentation, and the assets of all pages. */
export async function siteRoutes(
  { jobBoard: jobs, advertisers }: JobModule & AdvertiserModule,
  web: Web,
): Promise<RouteOptions[]> {
  const { limits, clock, isDemo, baseUrl, authUrl, welcome, sessions } = web
  const demo = isDemo ? (await import('../demo/world/doors.ts')).demoDoors() : undefined
  return [
    ...homeRoutes({
      sessions,
      demo,
      jobs,
      isNew: async () => (await advertisers.list()).length === 0,
      parts: { search: searchMarkup({ text: '', words: [] }), rows: jobRows },
      clock,
      limits,
      baseUrl,
      authUrl,
      welcome,
    }),
    ...docsPages({
      files: docsFiles,
      limits: { known: limitTable, values: limits },
      isDemo,
      baseUrl,
      authUrl,
    }),
    ...assetRoutes(),
    ...web.boardRoutes,
    aboutDataPage(
      {
        retentionDays: web.config.RETENTION_DAYS,
        withdrawnDays: web.config.WITHDRAWN_DAYS,
        retention: web.config.retention,
        hasBackups: web.config.BACKUP_URL !== undefined,
      },
      limits,
    ),
    themeRoute(() => authUrl().startsWith('https:')),
  ]
}

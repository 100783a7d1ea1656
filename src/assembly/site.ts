import type { RouteOptions } from 'fastify'
import { applyAssets } from '../apply/form/pages.ts'
import { readerAssets } from '../console/applications/detail-pages.ts'
import { postingAssets } from '../console/postings/pages.ts'
import { jobRows, searchMarkup } from '../jobs/markup.ts'
import { passkeyAssets } from '../people/account/passkey-markup.ts'
import { assetRoutes } from '../platform/web/assets.ts'
import { type LimitName, limits as limitTable } from '../settings-limits.ts'
import { aboutDataPage } from '../site/about/pages.ts'
import { docsAssets } from '../site/docs/assets-markup.ts'
import { docsFiles } from '../site/docs/files-adapter.ts'
import { docsPages } from '../site/docs/pages.ts'
import { homeRoutes } from '../site/home/pages.ts'
import { themeRoute } from '../site/home/theme-routes.ts'
import type { App } from './app.ts'
import { doorsOf } from './demo.ts'
import type { Web } from './web.ts'

/** The front page, the developer documentation, and the assets of all pages. */
export async function siteRoutes({ jobs, companies }: App, web: Web): Promise<RouteOptions[]> {
  const { limits, authUrl } = web
  const limitsInForce = Object.entries(limitTable).map(([name, limit]) => [
    name,
    { ...limit, value: limits[name as LimitName] },
  ])
  return [
    ...homeRoutes({
      ...web,
      demo: web.isDemo ? await doorsOf(web.demoWorld) : undefined,
      jobs: jobs.jobBoard,
      isNew: async () => (await companies.advertisers.list()).length === 0,
      parts: { search: searchMarkup({ text: '' }, false), rows: jobRows },
    }),
    ...docsPages({ ...web, files: docsFiles, limits: Object.fromEntries(limitsInForce) }),
    ...assetRoutes(),
    ...[applyAssets, postingAssets, readerAssets, passkeyAssets, docsAssets].flatMap(({ routes }) => routes),
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

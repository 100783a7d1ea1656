import type { RouteOptions } from 'fastify'
import { assetText } from '../../web/assets.ts'
import { sendPage } from '../../web/page-response.ts'
import { publicPage } from '../../web/page-routes.ts'
import { designTokens } from './design-tokens.ts'
import { componentsMarkup } from './markup.ts'
import { componentsTexts as texts } from './texts.ts'

/** The component gallery, for people who build or review pages. */
export function componentsRoutes(): RouteOptions[] {
  const body = componentsMarkup(designTokens(assetText('style.css')))
  return [
    publicPage.get('/demo/components', ({ reply }) =>
      sendPage(reply, { title: texts.title, isWide: true, styles: ['chart.css'], body }),
    ),
  ]
}

import type { RouteOptions } from 'fastify'
import { assetText } from '../../web/assets.ts'
import { sendPage } from '../../web/page-response.ts'
import { designTokens } from './design-tokens.ts'
import { componentsMarkup } from './markup.ts'
import { componentsTexts as texts } from './texts.ts'

/** For whoever makes or reviews pages: what there is to make them of. */
export function componentsRoutes(): RouteOptions[] {
  const body = componentsMarkup(designTokens(assetText('style.css')))
  return [
    {
      method: 'GET',
      url: '/demo/components',
      config: { auth: 'public', errors: 'page' },
      schema: { hide: true },
      handler: (_request, reply) => sendPage(reply, { title: texts.title, isWide: true, body }),
    },
  ]
}

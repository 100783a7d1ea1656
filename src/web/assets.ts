import { readFileSync } from 'node:fs'
import type { RouteOptions } from 'fastify'
import { sha256Hex } from '../core/hashing.ts'

/** The files that pages need, read once, and named with their fingerprint so that browsers may keep them for ever. */
const assets = [
  { name: 'style.css', type: 'text/css; charset=utf-8' },
  { name: 'icon.svg', type: 'image/svg+xml' },
  { name: 'apply.js', type: 'text/javascript; charset=utf-8' },
].map(({ name, type }) => {
  const content = readFileSync(new URL(`assets/${name}`, import.meta.url))
  return { name, type, content, url: `/assets/${sha256Hex(content).slice(0, 12)}/${name}` }
})

export function assetUrl(name: string): string {
  const asset = assets.find(candidate => candidate.name === name)
  if (asset === undefined) throw new Error(`there is no asset ${name}`)
  return asset.url
}

export function assetRoutes(): RouteOptions[] {
  return assets.map(({ url, type, content }) => ({
    method: 'GET',
    url,
    config: { auth: 'public' },
    schema: { hide: true },
    handler: (_request, reply) =>
      reply
        .headers({ 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' })
        .send(content),
  }))
}

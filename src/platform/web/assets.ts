import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { sha256Hex } from '../core/hashing.ts'
import { lazily } from '../core/lazily.ts'
import { Problem } from '../core/problems.ts'
import { route } from '../http/routes.ts'

/** The assets of the pages, named by fingerprint, so that browsers can cache them forever. */

const script = 'text/javascript; charset=utf-8'
const folderOf = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
const pdfjs = folderOf('pdfjs-dist')
const pdfVersion = sha256Hex(readFileSync(join(pdfjs, 'package.json'))).slice(0, 12)

interface Asset {
  name: string
  type: string
  /** Replaces the fingerprint of a file so large that it is only read when first requested. */
  version?: string | undefined
  headers?: Record<string, string> | undefined
}

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: script,
  mjs: script,
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/** An asset with its content, at a URL that changes with the content. */
export interface FixedAsset {
  name: string
  type: string
  /** Always returns the same buffer. */
  content(): Buffer
  headers?: Record<string, string> | undefined
  url: string
}

export function fixedAsset({ name, type, headers, version }: Asset, read: () => Buffer): FixedAsset {
  const content = lazily(read)
  const mark = version ?? sha256Hex(content()).slice(0, 12)
  return { name, type, content, headers, url: `/assets/${mark}/${name}` }
}

/** The assets of a room: files in its folder, or in a package. */
export interface Assets {
  url(name: string): string
  text(name: string): string
  routes: readonly RouteOptions[]
}

interface AssetFile extends Omit<Asset, 'name' | 'type'> {
  /** Path of a third-party file. */
  path?: string | URL
}

export function assetsIn(folder: URL, files: Readonly<Record<string, AssetFile>>): Assets {
  const all = Object.entries(files).map(([name, { path, ...rest }]) => {
    const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
    return fixedAsset({ name, type, ...rest }, () =>
      shipped(name, readFileSync(path ?? new URL(name, folder))),
    )
  })
  const find = (name: string): FixedAsset => {
    const asset = all.find(each => each.name === name)
    if (asset === undefined) throw new Error(`there is no asset ${name}`)
    return asset
  }
  return {
    url: name => find(name).url,
    text: name => find(name).content().toString(),
    routes: all.map(fixedAssetRoute),
  }
}

const font = assetsIn(new URL('assets/', import.meta.url), {
  'inter.woff2': {
    path: join(folderOf('@fontsource-variable/inter'), 'files/inter-latin-wght-normal.woff2'),
  },
})

/** Our stylesheets and scripts without comments and indentation, because they are part of every first load. */
function shipped(name: string, file: Buffer): Buffer {
  if (name.endsWith('.css')) return Buffer.from(shippedSheet(file.toString()))
  return name.endsWith('.js') ? Buffer.from(shippedScript(file.toString())) : file
}

/** Also inserts the URL of the font that it names. Strings stay unchanged. */
export function shippedSheet(sheet: string): string {
  return sheet
    .replace(/\/\*.*?\*\//gs, '')
    .split(/("[^"]*")/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/\s+/g, ' ').replace(/ ?([{};,>]) ?|(?<=:) /g, '$1'),
    )
    .join('')
    .replaceAll(';}', '}')
    .replace(/url\("([\w.-]+)"\)/g, (_, name: string) => `url("${font.url(name)}")`)
    .trim()
}

/** Removes whole lines only. None of our strings spans lines: src/platform/web/assets.test.ts. */
export function shippedScript(script: string): string {
  return script
    .replace(/^\s*\/\*.*?\*\/$/gms, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\s*\n\s*/g, '\n')
    .trim()
}

/** The assets used by pages of all rooms. */
const common = assetsIn(new URL('assets/', import.meta.url), {
  'style.css': {},
  'company.css': {},
  'chart.css': {},
  'icon.svg': {},
  'page.js': {},
  'preview.mjs': {},
  'pdf.min.mjs': { path: join(pdfjs, 'build/pdf.min.mjs'), version: pdfVersion },
  'pdf.worker.min.mjs': {
    path: join(pdfjs, 'build/pdf.worker.min.mjs'),
    version: pdfVersion,
    // A worker follows the policy of its own response, not the page's, and this one parses untrusted files.
    headers: { 'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'" },
  },
})
export const fontUrl = font.url('inter.woff2')
export const assetUrl = common.url
export const assetText = common.text

export const immutable = { 'cache-control': 'public, max-age=31536000, immutable' }

/** The folders of pdfjs-dist that a PDF may need: standard fonts, Asian character maps, image decoders. */
const pdfData = new Set(['standard_fonts', 'cmaps', 'wasm'])
export const pdfDataUrl = `/assets/${pdfVersion}/pdfjs/`

export function fixedAssetRoute({ url, type, content, headers = {} }: FixedAsset): RouteOptions {
  return route({
    method: 'GET',
    url,
    auth: 'public',
    schema: { hide: true },
    handle: ({ request, reply }) => {
      reply.headers({ 'content-type': type, ...immutable, ...headers })
      // Fonts and PNG images are already compressed.
      return /^(font|image\/png)/.test(type)
        ? reply.send(content())
        : sendCompressed(request, reply, content())
    },
  })
}

export function assetRoutes(): RouteOptions[] {
  return [
    ...font.routes,
    ...common.routes,
    route({
      method: 'GET',
      url: `${pdfDataUrl}:folder/:file`,
      auth: 'public',
      schema: { hide: true },
      handle: ({ reply, params: { folder, file } }) => {
        const type = file.endsWith('.js') ? script : 'application/octet-stream'
        return reply.headers({ 'content-type': type, ...immutable }).send(readPdfData(folder, file))
      },
    }),
  ]
}

const compress = promisify(gzip)
const compressed = new Map<Buffer, Promise<Buffer>>()

/**
 * Compresses each asset once, on first request. Pages are not compressed: they mix secrets with other people's text,
 * and the compressed length would reveal information about the secrets.
 */
async function sendCompressed(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  content: Buffer,
): Promise<FastifyReply> {
  reply.header('vary', 'accept-encoding')
  if (!acceptsGzip(headers['accept-encoding'])) return reply.send(content)
  const smaller = compressed.get(content) ?? compress(content, { level: 9 })
  compressed.set(content, smaller)
  return reply.header('content-encoding', 'gzip').send(await smaller)
}

export function acceptsGzip(acceptEncoding = ''): boolean {
  return acceptEncoding.split(',').some(each => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(each))
}

/** Reads a file on request: there are about two hundred, few of which are ever needed. */
function readPdfData(folder: string, file: string): Buffer {
  if (!pdfData.has(folder) || !/^[\w-]+\.\w+$/.test(file)) throw new Problem('not-found')
  try {
    return readFileSync(join(pdfjs, folder, file))
  } catch (error) {
    throw new Problem('not-found', undefined, { cause: error })
  }
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
  /** Path of a third-party file. */
  path?: string
  /** Instead of a fingerprint: for a file so large that it is read when it is first requested. */
  version?: string
  headers?: Record<string, string>
}

const files: Asset[] = [
  {
    name: 'inter.woff2',
    type: 'font/woff2',
    path: join(folderOf('@fontsource-variable/inter'), 'files/inter-latin-wght-normal.woff2'),
  },
  { name: 'style.css', type: 'text/css; charset=utf-8' },
  { name: 'company.css', type: 'text/css; charset=utf-8' },
  { name: 'chart.css', type: 'text/css; charset=utf-8' },
  { name: 'docs.css', type: 'text/css; charset=utf-8' },
  { name: 'northwind.css', type: 'text/css; charset=utf-8' },
  { name: 'icon.svg', type: 'image/svg+xml' },
  { name: 'northwind.svg', type: 'image/svg+xml' },
  { name: 'page.js', type: script },
  { name: 'passkey.js', type: script },
  { name: 'apply.js', type: script },
  { name: 'posting-forms.js', type: script },
  { name: 'reference.js', type: script },
  { name: 'docs.js', type: script },
  { name: 'docs-search.mjs', type: script },
  { name: 'request-code.mjs', type: script },
  { name: 'minisearch.mjs', type: script, path: fileURLToPath(import.meta.resolve('minisearch')) },
  { name: 'preview.mjs', type: script },
  { name: 'reader.js', type: script },
  { name: 'pdf.min.mjs', type: script, path: join(pdfjs, 'build/pdf.min.mjs'), version: pdfVersion },
  {
    name: 'pdf.worker.min.mjs',
    type: script,
    path: join(pdfjs, 'build/pdf.worker.min.mjs'),
    version: pdfVersion,
    // A worker follows the policy of its own response, not the page's, and this one parses untrusted files.
    headers: { 'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'" },
  },
]

/** An asset with its content, under an address that changes with it. */
export interface FixedAsset {
  name: string
  type: string
  /** Always the same buffer. */
  content(): Buffer
  headers?: Record<string, string> | undefined
  url: string
}

export function fixedAsset({ name, type, headers, version }: Asset, read: () => Buffer): FixedAsset {
  const content = lazily(read)
  const mark = version ?? sha256Hex(content()).slice(0, 12)
  return { name, type, content, headers, url: `/assets/${mark}/${name}` }
}

const assets: FixedAsset[] = []
for (const asset of files) {
  const path = asset.path ?? new URL(`assets/${asset.name}`, import.meta.url)
  assets.push(fixedAsset(asset, () => shipped(asset.name, readFileSync(path))))
}

/** Our stylesheets and scripts without comments and indentation, because they are part of every first load. */
function shipped(name: string, file: Buffer): Buffer {
  if (name.endsWith('.css')) return Buffer.from(shippedSheet(file.toString()))
  return name.endsWith('.js') ? Buffer.from(shippedScript(file.toString())) : file
}

/** Also with the addresses of the assets that it names, which are listed before it. Strings stay as they are. */
export function shippedSheet(sheet: string): string {
  return sheet
    .replace(/\/\*.*?\*\//gs, '')
    .split(/("[^"]*")/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/\s+/g, ' ').replace(/ ?([{};,>]) ?|(?<=:) /g, '$1'),
    )
    .join('')
    .replaceAll(';}', '}')
    .replace(/url\("([\w.-]+)"\)/g, (_, name: string) => `url("${assetUrl(name)}")`)
    .trim()
}

/** Removes whole lines only. No string of ours spans lines: src/platform/web/assets.test.ts. */
export function shippedScript(script: string): string {
  return script
    .replace(/^\s*\/\*.*?\*\/$/gms, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\s*\n\s*/g, '\n')
    .trim()
}

function assetOf(name: string) {
  const asset = assets.find(candidate => candidate.name === name)
  if (asset === undefined) throw new Error(`there is no asset ${name}`)
  return asset
}

export function assetUrl(name: string): string {
  return assetOf(name).url
}

export function assetText(name: string): string {
  return assetOf(name).content().toString()
}

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
      // Typefaces and pictures are compressed already.
      return /^(font|image\/png)/.test(type)
        ? reply.send(content())
        : sendCompressed(request, reply, content())
    },
  })
}

export function assetRoutes(): RouteOptions[] {
  return [
    ...assets.map(fixedAssetRoute),
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
 * Compresses each asset once, on first request. Pages are not compressed: they mix secrets with text of other people,
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

/** Reads a file on request: there are about two hundred, and few are ever needed. */
function readPdfData(folder: string, file: string): Buffer {
  if (!pdfData.has(folder) || !/^[\w-]+\.\w+$/.test(file)) throw new Problem('not-found')
  try {
    return readFileSync(join(pdfjs, folder, file))
  } catch (error) {
    throw new Problem('not-found', undefined, { cause: error })
  }
}

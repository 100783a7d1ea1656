/**
 * `node s3-server.ts <folder>`: @20minutes/s3rver on a port of its own, which it prints. It is more lenient than S3
 * where the tests look, so that part is done here as S3 does it: Content-MD5 is verified, an object that did not arrive
 * whole is not stored, uploads in parts can be aborted and listed, and their parts have a minimum size.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { uploadsFolder } from './s3.ts'

interface Context {
  method: string
  path: string
  query: Record<string, string>
  status: number
  type: string
  body: string
  headers: Record<string, string | undefined>
  response: { get(header: string): string }
}

type Middleware = (context: Context, next: () => Promise<void>) => Promise<void>

interface Server {
  middleware: Middleware[]
  store: {
    getObject(bucket: string, key: string, range: { start?: number; end?: number | string }): Promise<unknown>
    deleteObject(bucket: string, key: string): Promise<void>
  }
  run(): Promise<{ port: number }>
}

const require = createRequire(import.meta.url)
const S3rver: new (options: object) => Server = require('@20minutes/s3rver')
const S3Error: new (code: string, message: string) => Error = require('@20minutes/s3rver/lib/models/error')

// It encrypts its page tokens with a cipher that no longer exists. This one has blocks of the same size.
const crypto: typeof import('node:crypto') = require('node:crypto')
const { createCipheriv } = crypto
crypto.createCipheriv = ((name: string, key: Buffer, iv: Buffer) =>
  name === 'des'
    ? createCipheriv('des-ede3-cbc', Buffer.concat([key, key, key]), iv)
    : createCipheriv(name, key, iv)) as typeof createCipheriv

const leastPart = 5 * 1024 * 1024
const folder = process.argv[2] as string

const server = new S3rver({
  directory: folder,
  address: '127.0.0.1',
  port: 0,
  silent: true,
  // It reads the query of some calls differently from how the SDK signs it.
  allowMismatchedSignatures: true,
  vhostBuckets: false,
})

// It ignores a range that ends with the first byte, unless the end is a string.
const { store } = server
const getObject = store.getObject.bind(store)
store.getObject = (bucket, key, range) =>
  getObject(bucket, key, range.end === 0 ? { ...range, end: '0' } : range)

server.middleware.unshift(async (context, next) => {
  const { method, query } = context
  const [, bucket = '', ...rest] = decodeURIComponent(context.path).split('/')
  const key = rest.join('/')
  const { uploadId } = query
  if (method === 'GET' && 'uploads' in query) return listUploads(context, bucket)
  if (method === 'GET' || method === 'HEAD' || key === '' || 'uploads' in query) return next()
  if (uploadId !== undefined) {
    const parts = join(uploadsFolder(folder, bucket), uploadId)
    return inTurn(parts, () => changeUpload(context, next, parts))
  }
  return inTurn(`${bucket}/${key}`, () =>
    method === 'PUT' && !('x-amz-copy-source' in context.headers)
      ? whole(context, next, () => store.deleteObject(bucket, key))
      : next(),
  )
})

async function changeUpload(context: Context, next: () => Promise<void>, parts: string): Promise<void> {
  await assertUpload(parts)
  if (context.method === 'DELETE') {
    await rm(parts, { recursive: true })
    context.status = 204
    return
  }
  if (context.method === 'PUT') {
    const part = join(parts, String(context.query['partNumber']))
    return whole(context, next, () => rm(part, { force: true }))
  }
  await checkSizes(parts)
  return next()
}

async function assertUpload(parts: string): Promise<void> {
  if (!(await stat(parts).catch(() => undefined)))
    throw new S3Error('NoSuchUpload', 'There is no such upload.')
}

const underWay = new Map<string, Promise<void>>()

/**
 * A retry or an abort waits for the interrupted request: otherwise both would write to the same file, and a part that
 * is still arriving would revive an upload that was aborted.
 */
function inTurn(name: string, work: () => Promise<void>): Promise<void> {
  const turn = (underWay.get(name) ?? Promise.resolve()).catch(() => {}).then(work)
  underWay.set(name, turn)
  return turn
}

/** A truncated or wrong object is not kept. */
async function whole(context: Context, next: () => Promise<void>, drop: () => Promise<void>): Promise<void> {
  try {
    await next()
    const wanted = context.headers['content-md5']
    if (wanted === undefined)
      throw new S3Error('InvalidDigest', 'The tests want a Content-MD5 with all content.')
    const [md5 = ''] = /[0-9a-f]{32}/.exec(context.response.get('ETag')) ?? []
    if (Buffer.from(md5, 'hex').toString('base64') !== wanted)
      throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.')
  } catch (error) {
    await drop()
    throw error
  }
}

async function checkSizes(parts: string): Promise<void> {
  const numbers = (await readdir(parts)).filter(name => /^\d+$/.test(name)).map(Number)
  const last = Math.max(...numbers)
  for (const number of numbers) {
    const { size } = await stat(join(parts, String(number)))
    if (number !== last && size < leastPart) throw new S3Error('EntityTooSmall', 'A part is too small.')
  }
}

async function listUploads(context: Context, bucket: string): Promise<void> {
  const ids = await readdir(uploadsFolder(folder, bucket)).catch(() => [])
  const uploads = await Promise.all(
    ids.map(async id => ({
      id,
      key: await readFile(join(uploadsFolder(folder, bucket), id, 'key'), 'utf8'),
    })),
  )
  const found = uploads
    .filter(({ key }) => key.startsWith(context.query['prefix'] ?? ''))
    .map(({ id, key }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
  context.type = 'application/xml'
  context.body = `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${found.join('')}</ListMultipartUploadsResult>`
}

const { port } = await server.run()
process.stdout.write(`${port}\n`)
// It ends with the process that started it, however that one ends.
process.stdin.on('end', () => process.exit()).resume()

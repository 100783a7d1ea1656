import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../../src/settings.ts'

export interface S3Server {
  endpoint: string
  /** It contains a folder for each bucket. */
  folder: string
  stop(): Promise<void>
}

/** A real S3-compatible server in a process of its own: see s3-server.ts. */
export async function startS3(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-s3-'))
  const script = fileURLToPath(new URL('s3-server.ts', import.meta.url))
  const child = spawn(process.execPath, [script, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  return {
    endpoint: `http://127.0.0.1:${String(port).trim()}`,
    folder,
    async stop() {
      // An interrupt from the keyboard ends it before.
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        child.stdin.end()
        await exited
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Blobs as they are stored, for tests that look or change something behind the store's back. */
export interface StoredBlobs {
  /** All names in order, without the marks that say who owns and who moves them. */
  names(): Promise<string[]>
  write(blob: string, content: string | Buffer): Promise<void>
  remove(blob: string): Promise<void>
}

export interface Bucket extends StoredBlobs {
  /** The settings of a service; `endpoint` is another way to the same server. */
  settings(endpoint?: string): Record<string, string>
  /** Uploads in parts that were neither completed nor aborted. */
  uploads(): Promise<number>
  removeAll(): Promise<void>
}

const suffix = '._S3rver_object'
const prefix = 'some/prefix'

const isNoMark = (name: string) => !/^(database$|moving\.lock$|ids\/|tombstones\/)/.test(name)

/** Where s3rver keeps uploads in parts. */
export const uploadsFolder = (folder: string, bucket: string) => join(folder, bucket, '._S3rver_uploads')

/** On the server of the run, with the files of a folder store when one is given. */
export async function createBucket(blobFolder?: string): Promise<Bucket> {
  const bucket = bucketNamed(`t-${randomBytes(8).toString('hex')}`)
  await mkdir(join(server().folder, new URL(bucket.settings()['BLOBS_URL'] as string).host))
  if (blobFolder !== undefined) {
    for (const path of await filesIn(blobFolder))
      await bucket.write(path, await readFile(join(blobFolder, path)))
  }
  return bucket
}

function server() {
  const { TEST_S3_ENDPOINT: endpoint, TEST_S3_FOLDER: folder } = process.env
  if (endpoint !== undefined && folder !== undefined) return { endpoint, folder }
  throw new Error('run the tests with "npm test", which starts an S3 server')
}

function bucketNamed(name: string): Bucket {
  const { endpoint: runEndpoint, folder: root } = server()
  const folder = join(root, name, prefix)
  const pathOf = (blob: string) => join(folder, blob + suffix)
  return {
    settings: (endpoint = runEndpoint) => ({
      BLOBS_URL: `s3://${name}/${prefix}?endpoint=${endpoint}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    }),
    async names() {
      const files = await filesIn(folder)
      const objects = files.filter(file => file.endsWith(suffix))
      return objects.map(file => file.slice(0, -suffix.length)).filter(isNoMark)
    },
    uploads: async () => (await readdir(uploadsFolder(root, name)).catch(() => [])).length,
    async write(blob, content) {
      await mkdir(dirname(pathOf(blob)), { recursive: true })
      await rm(`${pathOf(blob)}.md5`, { force: true })
      await writeFile(pathOf(blob), content)
    },
    remove: blob => rm(pathOf(blob)),
    removeAll: () => rm(join(root, name), { recursive: true, force: true }),
  }
}

/** The blobs of a service with these settings. */
export function storedBlobs(settings: Environment): StoredBlobs {
  const url = settings['BLOBS_URL']
  if (url !== undefined) return bucketNamed(new URL(url).host)
  const folder = join(String(settings['DATA_DIR']), 'blobs')
  return {
    names: async () => (await filesIn(folder)).filter(isNoMark),
    async write(blob, content) {
      await mkdir(dirname(join(folder, blob)), { recursive: true })
      await writeFile(join(folder, blob), content)
    },
    remove: blob => rm(join(folder, blob)),
  }
}

/** Paths from this folder on, in order. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}

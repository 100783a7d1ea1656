import { execFile, spawn } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Running, watch } from './process.ts'
import { root } from './repository.ts'

/** What `docker image inspect` shows of an image. */
export interface ImageConfig {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  Volumes: Record<string, object>
  Labels: Record<string, string>
  WorkingDir: string
  Healthcheck: { Test: string[] }
}

export interface Image {
  config: ImageConfig
  bytes: number
  /** The files of a container, on this machine. */
  files: string
  /** The files of the image that the Dockerfile in another folder makes of that folder. */
  buildFrom(context: string): Promise<string>
  /** Runs its program with these arguments as a container would: read-only, as its user, without capabilities. */
  start(args: string[], settings?: Record<string, string>): Running
  remove(): Promise<void>
}

const run = async (command: string, ...args: string[]) =>
  (await promisify(execFile)(command, args, { cwd: root, maxBuffer: 2 ** 26 })).stdout.trim()

/**
 * Builds the shipped Dockerfile with buildah, which needs no daemon. The base image comes from Debian's mirror, with the Node
 * and npm of this run, under the name of the real one: there is no registry of images here. Folders in memory are too small.
 */
export async function buildImage(): Promise<Image> {
  const folder = await mkdtemp('/var/tmp/dossier-image-')
  try {
    return await buildIn(folder)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function buildIn(folder: string): Promise<Image> {
  const store = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
  const buildah = (...args: string[]) => run('buildah', ...store, ...args)

  const base = join(folder, 'base.tar')
  const sources = '/etc/apt/sources.list.d/debian.sources'
  await run(
    'mmdebstrap',
    '--variant=essential',
    '--include=libstdc++6,ca-certificates',
    'bookworm',
    base,
    sources,
  )
  const container = await buildah('from', 'scratch')
  await buildah('add', container, base, '/')
  await buildah('copy', container, process.execPath, '/usr/local/bin/node')
  const npm = await run('sh', '-c', 'dirname "$(dirname "$(readlink -f "$(command -v npm)")")"')
  await buildah('copy', container, npm, '/usr/local/lib/node_modules/npm')
  const mounted = await buildah('mount', container)
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(mounted, 'usr/local/bin/npm'))
  // The registry of this machine, and the authorities that it trusts.
  const authorities = '/etc/ssl/certs/ca-certificates.crt'
  await copyFile(authorities, join(mounted, authorities))
  await mkdir(join(mounted, 'usr/local/etc'), { recursive: true })
  const registry = await run('npm', 'config', 'get', 'registry')
  await writeFile(join(mounted, 'usr/local/etc/npmrc'), `registry=${registry}\ncafile=${authorities}\n`)
  await buildah(
    'config',
    '--env',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    container,
  )
  await buildah('commit', '--format', 'docker', container, 'docker.io/library/node:24-bookworm-slim')
  await buildah('rm', container)

  async function buildFrom(context: string, tag: string): Promise<string> {
    const how = ['--isolation', 'chroot', '--pull-never', '--format', 'docker']
    await buildah('build', ...how, '--file', join(context, 'deploy/Dockerfile'), '--tag', tag, context)
    return buildah('mount', await buildah('from', '--pull-never', tag))
  }
  const files = await buildFrom(root, 'dossier')
  const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', 'dossier'))
  const [kilobytes = ''] = (await run('du', '-sk', files)).split('\t')
  const volume = join(folder, 'volume')
  // As Docker makes a new volume: with the owner and the mode of the folder in the image.
  await run('cp', '-a', join(files, 'data'), volume)

  return {
    config: Docker.config,
    bytes: Number(kilobytes) * 1024,
    files,
    buildFrom: context => buildFrom(context, 'other'),
    start(args, settings = {}) {
      const { Env, User, Entrypoint } = Docker.config as ImageConfig
      const [user = '', group = ''] = User.split(':')
      const environment = [...Env, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)]
      const script = `
        mount --bind '${files}' '${files}' && mount --bind '${volume}' '${files}/data' &&
        mount -t proc proc '${files}/proc' && mount --bind /dev '${files}/dev' &&
        mount -o remount,bind,ro '${files}' && cd '${files}' &&
        exec chroot '${files}' /usr/bin/setpriv --reuid ${user} --regid ${group} --clear-groups --no-new-privs \
          --bounding-set=-all --inh-caps=-all -- /usr/bin/env -i "$@"`
      const command = [...environment, ...Entrypoint, ...args]
      return watch(
        spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...command], {
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      )
    },
    async remove() {
      await buildah('umount', '--all')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

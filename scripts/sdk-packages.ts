// Makes the packages of both SDKs, which every service offers below /docs/sdk: an npm package and a Python wheel.
// The same sources and npm give the same bytes. It needs the packages of scripts/packaging-tools.ts.
//   node scripts/sdk-packages.ts     in sdk/packages, which scripts/set-up.js does when the sources have changed
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'node:process'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { ZipFile } from 'yazl'

const root = fileURLToPath(new URL('..', import.meta.url))
const typescript = join(root, 'sdk/typescript')

interface Manifest {
  name: string
  version: string
  description: string
  [field: string]: unknown
}

/** Fills the folder, which must exist. */
export async function makeSdkPackages(folder: string): Promise<void> {
  const manifest: Manifest = JSON.parse(await readFile(join(typescript, 'package.json'), 'utf8'))
  await makeNpmPackage(folder, manifest)
  await makeWheel(folder, manifest)
}

/** Under its version, to be pinned, and without it. */
async function makeNpmPackage(folder: string, manifest: Manifest): Promise<void> {
  const { scripts: _scripts, devDependencies: _tools, ...published } = manifest
  const staged = await mkdtemp(join(tmpdir(), 'dossier-sdk-'))
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    run(root, process.execPath, compiler, '-p', typescript, '--outDir', join(staged, 'dist'))
    await writeFile(join(staged, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
    await cp(join(typescript, 'README.md'), join(staged, 'README.md'))
    await cp(join(root, 'LICENSE'), join(staged, 'LICENSE'))
    run(staged, 'npm', 'pack', '--pack-destination', folder, '--loglevel=error')
  } finally {
    await rm(staged, { recursive: true })
  }
  const { name, version } = manifest
  await cp(join(folder, `${name}-${version}.tgz`), join(folder, `${name}.tgz`))
}

/** A wheel is a ZIP file with the module and four files about it (Python packaging specifications, binary distribution). */
async function makeWheel(folder: string, { name, version, description }: Manifest): Promise<void> {
  const stem = `${name.replaceAll('-', '_')}-${version}`
  const about = `${stem}.dist-info`
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    `Summary: ${description}`,
    'License: MIT',
    'Requires-Python: >=3.8',
    'Description-Content-Type: text/markdown',
    '',
    await readFile(join(root, 'sdk/python/README.md'), 'utf8'),
  ]
  const files: [path: string, content: Buffer][] = [
    ['dossier.py', await readFile(join(root, 'sdk/python/dossier.py'))],
    [`${about}/LICENSE`, await readFile(join(root, 'LICENSE'))],
    [`${about}/METADATA`, Buffer.from(metadata.join('\n'))],
    [
      `${about}/WHEEL`,
      Buffer.from('Wheel-Version: 1.0\nGenerator: dossier\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    ],
  ]
  const rows = files.map(([path, content]) => {
    const hash = createHash('sha256').update(content).digest('base64url')
    return `${path},sha256=${hash},${content.length}\n`
  })
  const zip = new ZipFile()
  for (const [path, content] of [...files, [`${about}/RECORD`, record(rows, about)] as const])
    zip.addBuffer(content, path, { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, mode: 0o100644 })
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(join(folder, `${stem}-py3-none-any.whl`)))
}

const record = (rows: readonly string[], about: string) => Buffer.from(`${rows.join('')}${about}/RECORD,,\n`)

/** Without the settings of an npm that runs this, such as `--dry-run`. */
function run(cwd: string, command: string, ...args: string[]): void {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_config_(dry_run|json|pack_destination)$/i.test(name),
    ),
  )
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
}

if (import.meta.filename === argv[1]) {
  const folder = join(root, 'sdk/packages')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  await makeSdkPackages(folder)
}

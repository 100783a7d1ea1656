// Makes what a release consists of, from the files of the checkout: the npm package, an archive that contains its
// dependencies, the packages of the SDKs, a bill of materials and checksums. The same commit and npm give the same bytes.
//   npm run release                     in release/, and only if the checkout is clean and the changelog has a date
//   npm run release -- --draft <folder> at any time, to try it
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageFile from '../package.json' with { type: 'json' }
import { makePackage } from './package.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const isDraft = process.argv.includes('--draft')
const [folder = join(root, 'release')] = process.argv.slice(2).filter(argument => argument !== '--draft')
const { version } = packageFile
const name = `dossier-${version}`
const target = resolve(folder)
const staged = join(target, name)

function run(cwd: string, command: string, ...args: string[]): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  })
}

function npm(...args: string[]): string {
  const program = process.env['npm_execpath']
  const quiet = [...args, '--loglevel=error']
  return program === undefined
    ? run(staged, 'npm', ...quiet)
    : run(staged, process.execPath, program, ...quiet)
}

if (!isDraft) {
  if (run(root, 'git', 'status', '--porcelain') !== '')
    throw new Error('The checkout has changes: commit them first.')
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm')
  if (!heading.test(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')))
    throw new Error(`CHANGELOG.md needs the heading "## ${version} (YYYY-MM-DD)".`)
}
rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
await makePackage(staged)
for (const file of globSync('*-[0-9]*', { cwd: join(staged, 'sdk/packages') }))
  copyFileSync(join(staged, 'sdk/packages', file), join(target, file))
npm('pack', '--pack-destination', target)
npm('ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund')
// It says where the packages were downloaded from.
rmSync(join(staged, 'node_modules/.package-lock.json'))

const madeAt = Number(process.env['SOURCE_DATE_EPOCH'] ?? run(root, 'git', 'log', '-1', '--format=%ct'))
const bill = JSON.parse(npm('sbom', '--sbom-format=cyclonedx', '--sbom-type=application'))
delete bill.serialNumber
// npm takes the names of folders, which differ for the service itself and for a package that replaces another.
for (const each of [bill.metadata.component, ...bill.components])
  each.name = each['bom-ref'].replace(/@[^@]+$/, '')
bill.metadata.timestamp = new Date(madeAt * 1000).toISOString()
writeFileSync(join(target, `${name}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`)

const same = [
  '--sort=name',
  `--mtime=@${madeAt}`,
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u+rw,go+r-w,a+X',
]
run(target, 'tar', ...same, '--use-compress-program=gzip -9n', '-cf', `${name}.tar.gz`, name)
rmSync(staged, { recursive: true })

const files = readdirSync(target).toSorted()
const sums = files.map(file => `${sha256(join(target, file))}  ${file}\n`)
writeFileSync(join(target, 'SHA256SUMS'), sums.join(''))
console.log(`${sums.join('')}made the release ${version} in ${target}${isDraft ? ', a draft' : ''}`)

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

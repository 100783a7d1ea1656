import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import packageFile from '../../package.json' with { type: 'json' }
import sdk from '../../sdk/typescript/package.json' with { type: 'json' }
import { createRepository } from '../backup/repository.ts'
import { createTestDatabase } from '../harness/database.ts'
import { isLongRun } from '../harness/effort.ts'
import { listenLocally } from '../harness/listen-locally.ts'
import { root } from '../harness/repository.ts'
import { tryConversion, tryDrill, tryService } from './packed.ts'

const { name, version } = packageFile
const files = [
  `dossier-${version}.cdx.json`,
  `dossier-${version}.tar.gz`,
  `dossier-jobs-dossier-${version}.tgz`,
  `dossier-sdk-${sdk.version}.tgz`,
  `dossier_sdk-${sdk.version}-py3-none-any.whl`,
]
const [bill = '', archive = '', tarball = ''] = files

/** Both install some 130 packages, and the second release shows that it has the same bytes. */
if (isLongRun) {
  describe('npm run release', { timeout: 900_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'dossier-release-'))
    const made = join(folder, 'release')
    const release = (to: string) =>
      execFileSync('npm', ['run', '--silent', 'release', '--', '--draft', to], {
        cwd: root,
        encoding: 'utf8',
      })
    before(() => release(made))
    after(() => rmSync(folder, { recursive: true }))

    test('makes package, archive, bill of materials and checksums, each time the same bytes', () => {
      assert.deepEqual(readdirSync(made).toSorted(), ['SHA256SUMS', ...files].toSorted())
      execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: made })
      const again = join(folder, 'again')
      release(again)
      assert.equal(
        readFileSync(join(again, 'SHA256SUMS'), 'utf8'),
        readFileSync(join(made, 'SHA256SUMS'), 'utf8'),
      )
    })

    test('the bill of materials lists what is in the archive, without the address of a registry', () => {
      const text = readFileSync(join(made, bill), 'utf8')
      const { metadata, components } = JSON.parse(text)
      assert.deepEqual([metadata.component.name, metadata.component.version], [name, version])
      const listed = execFileSync('tar', ['-tzf', join(made, archive)], {
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      })
      const packages = [...listed.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/@.][^/]*)\/package\.json$/gm)]
      const named = new Set(components.map((component: { name: string }) => component.name))
      // Another package in its place, listed by its own name.
      const missing = packages.map(([, each = '']) => each).filter(each => !named.has(each))
      assert.deepEqual([...new Set(missing)], ['@napi-rs/canvas'])
      assert.doesNotMatch(text, /"distribution"|\/-\/[^"]+\.tgz/)
      assert.doesNotMatch(listed, /\.package-lock\.json$|\.log$/m)
    })

    test('the unpacked archive starts for any user', async () => {
      execFileSync('tar', ['-xzf', join(made, archive)], { cwd: folder })
      const unpacked = join(folder, `dossier-${version}`)
      await tryService(join(unpacked, 'bin/dossier'), join(folder, 'data-of-archive'))
      await tryConversion(unpacked)
    })

    for (const [engine, kind] of [
      ['sqlite', 'folder'],
      ['postgres', 's3'],
    ] as const)
      test(`the machine is gone, and a set in ${kind} is all that is left [${engine}]`, async t => {
        const executable = join(folder, `dossier-${version}`, 'bin/dossier')
        const repository = await createRepository(kind)
        t.after(repository.remove)
        const [from, to] = [
          await createTestDatabase(engine, 'empty'),
          await createTestDatabase(engine, 'empty'),
        ]
        t.after(from.remove)
        t.after(to.remove)
        await tryService(executable, String(from.settings['DATA_DIR']), from.settings)
        await tryDrill(executable, from.settings, to.settings, repository.address)
      })

    const ways = ['from a registry', 'from the file'] as const
    for (const way of ways) {
      test(`npm installs the package in an empty folder ${way}, and it starts`, async () => {
        const place = join(folder, way.replaceAll(' ', '-'))
        mkdirSync(place)
        writeFileSync(join(place, 'package.json'), '{"private":true}')
        const registry = await startRegistry(join(made, tarball))
        const packed =
          way === 'from the file' ? [join(made, tarball)] : [name, `--@dossier-jobs:registry=${registry.url}`]
        try {
          await registry.npm(
            place,
            'install',
            '--prefer-offline',
            '--no-audit',
            '--no-fund',
            '--loglevel=error',
            ...packed,
          )
        } finally {
          registry.stop()
        }
        const service = join(place, 'node_modules', name)
        await tryService(join(place, 'node_modules/.bin/dossier'), join(place, 'data'))
        await tryConversion(service)
        if (way === 'from the file') return
        // npm heeds the versions of a package only if the registry says that it pins them.
        const { packages } = JSON.parse(readFileSync(join(service, 'npm-shrinkwrap.json'), 'utf8'))
        for (const path of globSync('node_modules/**/package.json', { cwd: service })) {
          const expected = packages[path.replace(/\/package\.json$/, '')]
          if (expected === undefined) continue
          assert.equal(JSON.parse(readFileSync(join(service, path), 'utf8')).version, expected.version, path)
        }
      })
    }
  })
}

/** A registry that knows our package only; npm asks its usual one for the others. */
async function startRegistry(path: string) {
  const content = readFileSync(path)
  const server = createServer((request, response) => {
    if (request.url === '/package.tgz') return response.end(content)
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
    const manifest = JSON.parse(
      execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' }),
    )
    const published = {
      ...manifest,
      _hasShrinkwrap: true,
      dist: { tarball: `${url}/package.tgz`, integrity },
    }
    response.setHeader('content-type', 'application/json')
    return response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: published } }),
    )
  })
  const url = `http://127.0.0.1:${await listenLocally(server)}`
  return {
    url,
    /** Not synchronously: npm asks this process. */
    npm: (cwd: string, ...args: string[]) => promisify(execFile)('npm', args, { cwd }),
    stop: () => server.close(),
  }
}

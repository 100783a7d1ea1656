import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { isLongRun } from '../harness/effort.ts'
import { readText, repositoryFiles, root } from '../harness/repository.ts'

const home = join(root, 'sdk/typescript')
const sources = repositoryFiles('sdk/typescript/src/')

test('the package needs nothing but the platform, and only the entry for Node needs Node', () => {
  assert.equal(JSON.parse(readText('sdk/typescript/package.json')).dependencies, undefined)
  const imported = sources.flatMap(path =>
    [...readText(path).matchAll(/(?:\bfrom |\bimport |\bimport\()'([^']+)'/g)].map(([, name = '']) => ({
      path,
      name,
    })),
  )
  const outside = imported.filter(({ name }) => !/^\.\/[a-z-]+\.ts$/.test(name))
  assert.deepEqual([...new Set(outside.map(({ path }) => path))], ['sdk/typescript/src/node.ts'])
  for (const { name } of outside) assert.match(name, /^node:/)
  const globals = sources.filter(path => /\b(process|Buffer|setImmediate|require)\b[.(]/.test(readText(path)))
  assert.deepEqual(globals, ['sdk/typescript/src/node.ts'])
})

test('no file of it is longer than 200 lines, and nothing is exported by default', () => {
  const written = sources.filter(path => !path.endsWith('api-types.ts'))
  for (const path of written) {
    const text = readText(path)
    assert.ok(text.split('\n').length <= 200, path)
    assert.doesNotMatch(text, /export default/, path)
  }
})

const consumer = `
import { Dossier, DossierError, verifyWebhook, type DossierEvent } from 'dossier-sdk'
import { fileCursorStore } from 'dossier-sdk/node'

const dossier = new Dossier({ baseUrl: 'http://127.0.0.1:1', credential: 'sws_x' })
export function nameOf(event: DossierEvent): string {
  switch (event.type) {
    case 'application.created': return String(event.data.applicationId)
    case 'agent.withdrawn': return String(event.data.agentId)
    default: return event.type
  }
}
const store = fileCursorStore('cursor.json')
await store.save('x').catch((error: unknown) => console.log((error as DossierError).code))
await verifyWebhook({ body: '', headers: {}, secrets: ['whpk_AAAA'] }).catch((error: unknown) => console.log((error as DossierError).code))
const signal = AbortSignal.timeout(50)
for await (const batch of dossier.events.follow({ signal })) console.log(batch.cursor)
console.log(typeof dossier.applications.follow)
`

if (isLongRun) {
  test('packed and installed in an empty folder, it compiles with TypeScript 5.9 and 7, and runs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dossier-package-'))
    const run = (cwd: string, command: string, ...args: string[]) =>
      execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    try {
      const tools = join(folder, 'tools')
      mkdirSync(tools)
      for (const name of ['package.json', 'package-lock.json']) cpSync(join(home, name), join(tools, name))
      run(tools, 'npm', 'ci', '--ignore-scripts')
      const tool = (name: string) => join(tools, 'node_modules/.bin', name)

      run(home, 'npm', 'pack', '--pack-destination', folder)
      const packed = join(folder, 'dossier-sdk-0.1.0.tgz')
      run(folder, process.execPath, tool('publint'), 'run', packed, '--strict')
      run(folder, process.execPath, tool('attw'), packed, '--profile', 'esm-only')

      const place = join(folder, 'consumer')
      mkdirSync(place)
      writeFileSync(join(place, 'package.json'), '{"type":"module","private":true}')
      writeFileSync(join(place, 'consumer.ts'), consumer)
      run(place, 'npm', 'install', '--offline', '--ignore-scripts', packed)
      const strict = [
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2022',
        '--lib',
        'es2022,dom,dom.asynciterable',
      ]
      const compilers = [
        join(tools, 'node_modules/typescript-5.9/bin/tsc'),
        join(root, 'node_modules/typescript/bin/tsc'),
      ]
      for (const compiler of compilers) {
        run(place, process.execPath, compiler, ...strict, '--exactOptionalPropertyTypes', 'consumer.ts')
        // Node 24, and whichever Node the machine has.
        for (const node of [process.execPath, ...['/usr/bin/node'].filter(existsSync)]) {
          const printed = run(place, node, 'consumer.js').trim().split('\n')
          assert.deepEqual(printed, ['cursor-in-use', 'webhook-rejected', 'function'])
        }
      }

      const entry = join(place, 'node_modules/dossier-sdk/dist/index.js')
      const bundle = join(folder, 'bundle.js')
      run(folder, tool('esbuild'), entry, '--bundle', '--minify', '--format=esm', `--outfile=${bundle}`)
      const compressed = gzipSync(readFileSync(bundle)).length
      assert.ok(compressed <= 8000, `${compressed} bytes`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}

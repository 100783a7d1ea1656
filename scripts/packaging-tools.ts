// Writes package.json and package-lock.json for the packages that scripts/package.ts needs, so that the build stage of the
// image can install them, and none of the others, in the versions of the lock file.
//   node scripts/packaging-tools.ts <folder>
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'

interface LockFile {
  packages: Record<string, { version: string }>
}

const [, , folder] = argv
if (folder === undefined) throw new Error('usage: node scripts/packaging-tools.ts <folder>')
const lock: LockFile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
const direct = ['esbuild', 'kysely', 'typescript', '@types/node', 'yazl']
const theirs = /^node_modules\/(@esbuild\/[^/]+|@typescript\/[^/]+|undici-types|buffer-crc32)$/
const needed = Object.entries(lock.packages).filter(
  ([path]) => theirs.test(path) || direct.some(name => path === `node_modules/${name}`),
)
const versionOf = (name: string) => lock.packages[`node_modules/${name}`]?.version
const own = { private: true, dependencies: Object.fromEntries(direct.map(name => [name, versionOf(name)])) }
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), JSON.stringify(own))
const packages = { '': own, ...Object.fromEntries(needed) }
writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages }))

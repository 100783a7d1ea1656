// Installs missing dependencies and makes the packages of the SDKs before `npm start`, `npm test` and `npm run bench`;
// returns at once if nothing is missing.
// Plain JavaScript, because it runs on whichever Node the machine has.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stampFile = `${root}node_modules/.set-up`
const stamp = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex')

if (read(stampFile) !== stamp) {
  console.log('Installing dependencies (once, about half a minute) ...')
  // What npm has in its cache saves a request for each package, but the cache may not know the newest versions.
  if (!install('--prefer-offline')) {
    console.error("Trying again without npm's cache ...")
    if (!install()) {
      console.error('The installation failed: see above. It needs access to the npm registry.')
      console.error(
        'Node comes with it on Linux (x64 and arm64); on other systems, install Node 24 or newer.',
      )
      process.exit(1)
    }
  }
  writeFileSync(stampFile, stamp)
}

// A running service offers the packages of the SDKs. Whatever goes wrong here keeps no service from starting.
const sdkStampFile = `${root}sdk/packages/.stamp`
const sdkStamp = hashOf('sdk/typescript', 'sdk/python', 'scripts/sdk-packages.ts', 'package-lock.json')
if (read(sdkStampFile) !== sdkStamp) {
  const node = existsSync(`${root}node_modules/.bin/node`)
    ? `${root}node_modules/.bin/node`
    : process.execPath
  const { status } = spawnSync(node, [`${root}scripts/sdk-packages.ts`], { stdio: 'inherit' })
  if (status === 0) writeFileSync(sdkStampFile, sdkStamp)
  else console.error('The packages of the SDKs could not be made: see above. Everything else works.')
}

/** The hash of these files, and of those in these folders. */
function hashOf(...paths) {
  const hash = createHash('sha256')
  for (const path of paths) {
    const isFolder = statSync(`${root}${path}`).isDirectory()
    const names = isFolder ? readdirSync(`${root}${path}`, { recursive: true }).sort() : ['']
    for (const name of names) {
      if (/^dist|__pycache__|node_modules/.test(name)) continue
      const file = `${root}${path}${name && `/${name}`}`
      if (statSync(file).isFile()) hash.update(`${path}/${name}\n`).update(readFileSync(file))
    }
  }
  return hash.digest('hex')
}

function install(...options) {
  const npm = process.env.npm_execpath
  const [command, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  const { status } = spawnSync(
    command,
    [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error', ...options],
    { cwd: root, stdio: 'inherit' },
  )
  // npm leaves out an optional package that it cannot find, and Node is one.
  const hasNode =
    existsSync(`${root}node_modules/.bin/node`) || Number(process.versions.node.split('.')[0]) >= 24
  return status === 0 && hasNode
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

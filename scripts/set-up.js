// Runs before `npm start`, `npm test` and `npm run bench`, under whatever Node the machine has: installs what
// is missing, and returns at once when nothing is. Plain JavaScript for that reason.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stampFile = `${root}node_modules/.set-up`
const stamp = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex')

if (read(stampFile) !== stamp) {
  console.log('Installing what is missing (once; it takes about half a minute) ...')
  const npm = process.env.npm_execpath
  const [command, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  const { status } = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) {
    console.error('The installation failed: see above. It needs the npm registry.')
    process.exit(status ?? 1)
  }
  writeFileSync(stampFile, stamp)
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

// Installs missing dependencies before `npm start`, `npm test` and `npm run bench`; returns at once if none are missing.
// Plain JavaScript, because it runs on whichever Node the machine has.
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
  console.log('Installing dependencies (once, about half a minute) ...')
  const npm = process.env.npm_execpath
  const [command, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  const { status } = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) {
    console.error('The installation failed: see above. It needs access to the npm registry.')
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

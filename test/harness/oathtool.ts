import { spawnSync } from 'node:child_process'

/** Debian's oathtool, a second generator of codes that shares no line with ours. */
export function codeByOathtool(secret: string, at: number): string {
  const time = `@${Math.floor(at / 1000)}`
  const { stdout, status, stderr } = spawnSync('oathtool', ['--totp', '--base32', `--now=${time}`, secret], {
    encoding: 'utf8',
    env: { ...process.env, TZ: 'UTC' },
  })
  if (status !== 0) throw new Error(stderr)
  return stdout.trim()
}

import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findDaemon } from './debian.ts'
import { freePort } from './free-port.ts'
import { watch } from './process.ts'
import { readText } from './repository.ts'

export interface Caddy {
  port: number
  plainPort: number
  /** The certificate of its own authority. */
  ca: string
  log(): string
  stop(): Promise<void>
}

/** A real Caddy with the shipped file, on ports of its own and with certificates of its own authority. */
export async function startCaddy(domain: string, upstreams: string): Promise<Caddy> {
  const program = await findDaemon('caddy')
  if (program === undefined) throw new Error('There is no Caddy: install the package caddy (Debian).')
  const folder = await mkdtemp(join(tmpdir(), 'dossier-caddy-'))
  const [port, plainPort] = [await freePort(), await freePort()]
  const ownOptions = [
    'admin off',
    'local_certs',
    'skip_install_trust',
    `http_port ${plainPort}`,
    `https_port ${port}`,
  ]
  const config = join(folder, 'Caddyfile')
  await writeFile(config, readText('deploy/Caddyfile').replace(/^\{\n/m, `{\n\t${ownOptions.join('\n\t')}\n`))
  const running = watch(
    spawn(program, ['run', '--config', config, '--adapter', 'caddyfile'], {
      env: {
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
        DOMAIN: domain,
        UPSTREAMS: upstreams,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  )
  // It logs to standard error.
  const served = new RegExp(`certificate obtained successfully.*${domain.replaceAll('.', '\\.')}`)
  while (!served.test(running.stderr())) {
    if (running.child.exitCode !== null) throw new Error(`Caddy: ${running.stderr()}`)
    await new Promise(resolve => running.child.stderr?.once('data', resolve))
  }
  return {
    port,
    plainPort,
    ca: await readFile(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8'),
    log: running.stderr,
    async stop() {
      running.child.kill('SIGTERM')
      await running.finished
      await rm(folder, { recursive: true, force: true })
    },
  }
}

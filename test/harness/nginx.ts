import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findDaemon } from './debian.ts'
import { listenLocally } from './listen-locally.ts'
import { type Running, watch } from './process.ts'

export interface Nginx {
  pid: number
  port: number
  /** Without a trailing slash. */
  url: string
  /** Its error log so far. */
  errors(): Promise<string>
  stop(): Promise<void>
}

/** A real nginx of our own, with the content of its `http` block; `listen` is the line of the server in there. */
export async function startNginx(http: (listen: string) => string): Promise<Nginx> {
  const program = await findDaemon('nginx')
  if (program === undefined) throw new Error('There is no nginx: install the package nginx-light (Debian).')
  const folder = await mkdtemp(join(tmpdir(), 'dossier-nginx-'))
  const config = join(folder, 'nginx.conf')
  const errorLog = join(folder, 'error.log')
  const { port, running } = await startOnAFreePort(async port => {
    await writeFile(config, configuration(folder, http(`listen 127.0.0.1:${port};`)))
    return watch(
      spawn(program, ['-p', folder, '-e', errorLog, '-c', config], { stdio: ['ignore', 'pipe', 'pipe'] }),
    )
  })
  return {
    pid: running.child.pid as number,
    port,
    url: `http://127.0.0.1:${port}`,
    errors: () => readFile(errorLog, 'utf8'),
    async stop() {
      // At once: no client is left.
      running.child.kill('SIGTERM')
      await running.finished
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** nginx has no "any free port": if another process takes the port first, try another. */
async function startOnAFreePort(
  start: (port: number) => Promise<Running>,
): Promise<{ port: number; running: Running }> {
  for (;;) {
    const port = await findFreePort()
    const running = await start(port)
    const ended = await Promise.race([running.finished, untilItListens(port, running)])
    if (ended === undefined) return { port, running }
    if (!ended.stderr.includes('Address already in use')) throw new Error(`nginx: ${ended.stderr}`)
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await listenLocally(server)
  server.close()
  await once(server, 'close')
  return port
}

async function untilItListens(port: number, { child }: Running): Promise<undefined> {
  while (child.exitCode === null && child.signalCode === null) {
    const socket = connect({ port, host: '127.0.0.1' })
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    await sleep(20)
  }
}

/** It writes only into its folder. As root it stays root, to read the files that the service has written. */
function configuration(folder: string, http: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'error.log')} warn;
events { worker_connections 512; }
http {
  access_log off;
${temporary.map(name => `  ${name}_temp_path ${join(folder, name)};`).join('\n')}
${http}
}
`
}

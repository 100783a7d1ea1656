import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PostgresProxy {
  /** The address of the same database through this proxy. */
  url: string
  /** The target of later connections. */
  moveTo(url: string): void
  /** From now on nothing comes back on the open connections: no response, and no end either. */
  mute(): void
  /** Resolves once this text was sent over a connection. Nothing comes back on it until the result is called. */
  holdAnswerTo(text: string): Promise<() => void>
  /** Connections that are open. */
  readonly open: number
  close(): Promise<void>
}

/** A proxy at the server's address, as a balancer: it can be pointed at another server. */
export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-pg-proxy-'))
  await chmod(folder, 0o755)
  let path = socketOf(url)
  const pairs = new Map<Socket, Socket>()
  let held: { text: string; resolve(release: () => void): void } | undefined
  const server = createServer(near => {
    const far = connect(path)
    pairs.set(near, far)
    near.on('close', () => pairs.delete(near))
    near.on('data', chunk => {
      if (held === undefined || !chunk.includes(held.text)) return
      far.unpipe(near)
      held.resolve(() => far.pipe(near))
      held = undefined
    })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(to)
      // Either end closes the other; the reason does not matter.
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  server.listen(join(folder, '.s.PGSQL.5432'))
  await once(server, 'listening')
  const address = new URL(url)
  address.searchParams.set('host', folder)
  address.port = ''
  return {
    url: address.href,
    moveTo(other) {
      path = socketOf(other)
    },
    mute() {
      for (const [near, far] of pairs) far.unpipe(near)
    },
    holdAnswerTo: text =>
      new Promise(resolve => {
        held = { text, resolve }
      }),
    get open() {
      return pairs.size
    },
    async close() {
      server.close()
      for (const [near] of pairs) near.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function socketOf(url: string): string {
  const { port, searchParams } = new URL(url)
  return join(searchParams.get('host') ?? '', `.s.PGSQL.${port || 5432}`)
}

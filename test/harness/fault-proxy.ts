import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listenLocally } from './listen-locally.ts'

/** What happens to later connections; open ones stay as they are. */
export type Fault =
  | 'none'
  /** Everything goes through, but no response comes back, and no end either. */
  | 'mute'
  /** Reset after so many bytes of the caller have gone through. */
  | { resetAfter: number }

export interface FaultProxy {
  /** As `tcp://`, for CLAMD_URL. */
  url: string
  fault: Fault
  /** Connections made so far. */
  readonly count: number
  close(): Promise<void>
}

/** A proxy between a caller and a server on a unix socket. It listens on TCP, which has resets. */
export async function startFaultProxy(path: string, host = '127.0.0.1'): Promise<FaultProxy> {
  const open = new Set<Socket>()
  let count = 0
  const server = createServer(near => {
    count += 1
    const { fault } = proxy
    const far = connect(path)
    for (const socket of [near, far]) {
      open.add(socket)
      // It is closed after that, which is all that counts.
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
    near.pipe(far)
    near.on('close', () => far.destroy())
    if (fault === 'mute') {
      far.resume()
    } else {
      far.pipe(near)
      far.on('close', () => near.destroy())
    }
    if (typeof fault === 'object') resetAfter(near, fault.resetAfter)
  })
  const port = await listenLocally(server, host)
  const proxy: FaultProxy = {
    url: `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`,
    fault: 'none',
    get count() {
      return count
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
  return proxy
}

function resetAfter(socket: Socket, bytes: number): void {
  let left = bytes
  socket.on('data', chunk => {
    left -= chunk.length
    if (left <= 0) socket.resetAndDestroy()
  })
}

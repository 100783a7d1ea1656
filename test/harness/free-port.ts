import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * For what has to know its port before it listens, or listens on it again later. Below those that the system hands out,
 * to listeners and to every connection that goes out: one of them may be taken again as soon as it is free.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}

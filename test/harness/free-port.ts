import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * For servers that must know their port before they listen, or listen on it again later. Below the ports that the
 * system hands out, to listeners and to every outgoing connection: one of those may be taken again as soon as it is
 * free.
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

import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Listens on a free port of this machine, which it returns. */
export async function listenLocally(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening')
  return (server.address() as AddressInfo).port
}

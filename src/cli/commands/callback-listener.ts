import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { createServer } from '../../http/node-http.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'

export interface CallbackListener {
  /** Resolves with the first callback that is accepted. */
  callback: Promise<FormFields>
  close(): void
}

/**
 * Listens on a redirect URI on this machine, for a client without its own server. Requests that `isOurs` rejects get an
 * error, and the listener goes on waiting: any program on this machine can send requests here.
 */
export async function listenForCallback(
  redirectUri: string,
  isOurs: (query: FormFields) => boolean,
): Promise<CallbackListener> {
  const { hostname, port, pathname } = new URL(redirectUri)
  const { promise, resolve } = Promise.withResolvers<FormFields>()
  const servers: Server[] = []

  function answer(response: ServerResponse, status: number, text: string): void {
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    })
    response.end(`${text}\n`)
  }

  function close(): void {
    for (const server of servers) {
      server.close()
      server.closeIdleConnections()
    }
  }

  async function listenOn(host: string): Promise<void> {
    const server = createServer((request, response) => {
      const path = request.url?.split('?', 1)[0]
      if (request.method !== 'GET' || path !== pathname) return answer(response, 404, 'Not found.')
      const query = new FormFields(searchOf(request.url))
      if (query.repeated() !== undefined || !isOurs(query)) {
        return answer(
          response,
          400,
          'This is not the response to our authorization request, so it was ignored.',
        )
      }
      response.once('finish', () => resolve(query))
      answer(response, 200, 'Thank you. You can close this window and go back to the terminal.')
    })
    await once(server.listen(Number(port) || 80, host), 'listening')
    servers.push(server)
  }

  const isName = hostname === 'localhost'
  await listenOn(isName ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, ''))
  // Browsers may use either address for the name; not every machine has the second.
  if (isName) await listenOn('::1').catch(() => {})
  return { callback: promise, close }
}

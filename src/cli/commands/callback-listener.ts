import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { FormFields, searchOf } from '../../http/requests/form.ts'

export interface CallbackListener {
  /** Resolves with the first callback that is accepted. */
  callback: Promise<FormFields>
  close(): void
}

/**
 * A redirect URI on this machine, for a client without a server of its own. What `isOurs` does not accept is
 * told so and waited past: anything on this machine can send requests here.
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
      if (request.method !== 'GET' || path !== pathname) return answer(response, 404, 'Nothing is here.')
      const query = new FormFields(searchOf(request.url))
      if (query.repeated() !== undefined || !isOurs(query)) {
        return answer(
          response,
          400,
          'This is not the answer to the question that was asked. Nothing was done with it.',
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
  // Browsers may take either address for the name; a machine need not have the second.
  if (isName) await listenOn('::1').catch(() => {})
  return { callback: promise, close }
}

import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import { listenLocally } from './listen-locally.ts'

/** The setting with which a service sends to it. */
export const toReceiver = { WEBHOOK_ALLOW: '127.0.0.1' }

/** A receiver of webhooks that notes what it gets at each path, apart from tests. It answers 204, or what `answer` says. */
export async function startReceiver() {
  const received = new Map<string, string[]>()
  let answer: RequestListener = (_request, response) => response.writeHead(204).end()
  const usual = answer
  const server = createServer(async (request, response) => {
    const { id, type } = (await json(request)) as { id: string; type: string }
    if (type === 'test.ping') return usual(request, response)
    const path = request.url ?? ''
    received.set(path, [...(received.get(path) ?? []), id])
    answer(request, response)
  })
  const port = await listenLocally(server)
  return {
    urlOf: (path: string) => `http://127.0.0.1:${port}${path}`,
    at: (path: string): readonly string[] => received.get(path) ?? [],
    answer(next: RequestListener = usual) {
      answer = next
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

interface Waiting {
  response: ServerResponse
  keepsAlive: boolean
}

/** Requests with `Expect: 100-continue` whose callers wait before they send the body. */
const waiting = new WeakMap<IncomingMessage, Waiting>()

/** Delays "100 Continue", which Node would send immediately, until the caller is authenticated. */
export function holdBodies(server: Server, serve: RequestListener): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, { response, keepsAlive: response.shouldKeepAlive })
    // After an error the body may or may not follow, so the connection must close (RFC 9110).
    response.shouldKeepAlive = false
    serve(request, response)
  })
}

/** Whether the caller is still waiting for "100 Continue". */
export const isBodyHeld = (request: IncomingMessage) => waiting.has(request)

/** Call before reading the body. */
export function askForBody(request: IncomingMessage): void {
  const caller = waiting.get(request)
  if (caller === undefined) return
  waiting.delete(request)
  caller.response.shouldKeepAlive = caller.keepsAlive
  caller.response.writeContinue()
}

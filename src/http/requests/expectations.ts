import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

interface Waiting {
  response: ServerResponse
  keepsAlive: boolean
}

/** Callers who sent `Expect: 100-continue` and wait for our word before they send their body. */
const waiting = new WeakMap<IncomingMessage, Waiting>()

/** Node would ask for the body at once; here it is asked for when it is known who calls. */
export function holdBodies(server: Server, serve: RequestListener): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, { response, keepsAlive: response.shouldKeepAlive })
    // After a refusal nothing tells whether the body comes all the same, so the connection ends with it (RFC 9110).
    response.shouldKeepAlive = false
    serve(request, response)
  })
}

/** Whether the caller still waits for our word. */
export const isBodyHeld = (request: IncomingMessage) => waiting.has(request)

/** Before the body is read. */
export function askForBody(request: IncomingMessage): void {
  const caller = waiting.get(request)
  if (caller === undefined) return
  waiting.delete(request)
  caller.response.shouldKeepAlive = caller.keepsAlive
  caller.response.writeContinue()
}

import type { IncomingHttpHeaders, RequestOptions } from 'node:http'
import type { request } from 'node:https'

/** Links with a secret, as earlier versions sent them; a proxy must log none of it. */
export const secret = 'dli_secret-of-a-link'
export const secretLinks = [
  `/confirm?token=${secret}`,
  `/confirm/${secret}`,
  `/reset/${secret}/again?token=${secret}`,
  `/Invitations/${secret}`,
]

export function answerTo(
  ask: typeof request,
  options: RequestOptions & { servername?: string; ca?: string },
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    ask(options, response => {
      response.resume()
      resolve({ status: response.statusCode, headers: response.headers })
    })
      .on('error', reject)
      .end()
  })
}

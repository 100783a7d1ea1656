import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { checkAgainstDocument } from './openapi.ts'
import type { Service } from './service.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  json(): any
}

export interface CallOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export const harbour = { authorization: 'SWS sws_demo_harbour' }
export const southern = { authorization: 'SWS sws_demo_southern' }
export const drydock = { authorization: 'SWS sws_demo_drydock' }

const agent = new Agent({ keepAlive: true, maxSockets: 50 })

/** Sends the path byte for byte, unlike fetch, and checks the response against the OpenAPI document. */
export async function call(service: Service, path: string, options: CallOptions = {}): Promise<Answer> {
  const method = options.method ?? 'GET'
  const answer = await send(service.baseUrl, path, method, options)
  checkAgainstDocument(method, path, answer)
  return answer
}

export function send(baseUrl: string, path: string, method: string, options: CallOptions): Promise<Answer> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: hostname, port, path, method, headers: options.headers ?? {}, agent })
    request.on('error', reject)
    request.on('response', async response => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of response) chunks.push(chunk)
      } catch (error) {
        reject(error)
        return
      }
      const bytes = Buffer.concat(chunks)
      const headers = new Headers()
      for (let i = 0; i < response.rawHeaders.length; i += 2) {
        headers.append(response.rawHeaders[i] as string, response.rawHeaders[i + 1] as string)
      }
      const body = bytes.toString('utf8')
      resolve({
        status: response.statusCode ?? 0,
        headers,
        bytes,
        text: body,
        json: () => JSON.parse(body),
      })
    })
    request.end(options.body)
  })
}

/** Sends bytes unchanged and returns everything received until the connection ends. */
export async function raw(service: Service, bytes: string | Buffer): Promise<string> {
  const { hostname } = new URL(service.baseUrl)
  const socket = connect({ host: hostname, port: service.port })
  // Not ended from here: a server may take a half-closed connection for a caller that has disconnected.
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  return text(socket)
}

import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import type { TestContext } from 'node:test'
import { listenLocally } from './listen-locally.ts'

/** Replaces the next response of the service, or a part of it. */
export interface Change {
  status?: number
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
  /** It ends after half of its bytes. */
  isCut?: boolean
  /** The request is served, and the answer never arrives. */
  isLost?: boolean
  /** The service is not asked. */
  isOurs?: boolean
}

export interface Asked {
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  at: number
  /** Aborted: the caller has gone before it got its response. */
  state: 'open' | 'answered' | 'aborted'
}

/** A proxy in front of a service, as unreliable as a test wants it. */
export interface Network {
  url: string
  /** Of the next request whose path ends like this, or of so many. */
  changeNext(path: string, change: Change, count?: number): void
  /** Breaks off every request that takes longer, like a proxy with a time limit. */
  cutAfterMs: number | undefined
  /** The requests whose path ends like this. */
  asked(path: string): Asked[]
  /** When they came. */
  askedAt(path: string): number[]
}

export async function openNetwork(t: TestContext, baseUrl: string): Promise<Network> {
  const changes: { ending: string; change: Change }[] = []
  const all: Asked[] = []
  const { hostname, port } = new URL(baseUrl)
  const server = createServer((incoming, outgoing) => {
    // Only responses that are not compressed can be replaced as text.
    const { 'accept-encoding': _encodings, ...headers } = incoming.headers
    const { url = '', method = '' } = incoming
    const { pathname: path, searchParams: query } = new URL(url, baseUrl)
    const asked: Asked = { path, query, headers, at: performance.now(), state: 'open' }
    all.push(asked)
    const place = changes.findIndex(({ ending }) => path.endsWith(ending))
    const { change = {} } = place === -1 ? {} : (changes.splice(place, 1)[0] ?? {})
    if (change.isOurs === true) {
      incoming.resume()
      outgoing.writeHead(change.status ?? 200, change.headers).end(change.body)
      return
    }
    const onward = request({ host: hostname, port, path: url, method, headers }, async response => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      if (change.isLost === true) {
        outgoing.destroy()
        return
      }
      const body = change.body === undefined ? Buffer.concat(chunks) : Buffer.from(change.body)
      const { 'transfer-encoding': _chunked, ...kept } = response.headers
      const length = { 'content-length': body.length }
      outgoing.writeHead(change.status ?? response.statusCode ?? 0, { ...kept, ...change.headers, ...length })
      if (change.isCut !== true) outgoing.end(body)
      else outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy())
    })
    onward.on('error', () => outgoing.destroy())
    const timer =
      network.cutAfterMs === undefined ? undefined : setTimeout(() => outgoing.destroy(), network.cutAfterMs)
    outgoing.on('close', () => {
      clearTimeout(timer)
      asked.state = outgoing.headersSent ? 'answered' : 'aborted'
      onward.destroy()
    })
    incoming.pipe(onward)
  })
  const url = `http://127.0.0.1:${await listenLocally(server)}`
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const network: Network = {
    url,
    changeNext(ending, change, count = 1) {
      for (let i = 0; i < count; i++) changes.push({ ending, change })
    },
    cutAfterMs: undefined,
    asked: path => all.filter(each => each.path.endsWith(path)),
    askedAt: path => network.asked(path).map(({ at }) => at),
  }
  return network
}

import type { CodeRequest } from '../../src/site/docs/assets/request-code.mjs'
import { basic } from '../harness/oauth.ts'

/** Sends a request of the docs. Every file of it has this content. */
export function sendRequest(request: CodeRequest, file: Buffer): Promise<Response> {
  const { method, url, headers, basic: who, json, form, parts } = request
  const sent = new Headers(headers.map(([name, value]): [string, string] => [name, value]))
  if (who !== undefined) sent.set('authorization', basic({ id: who[0], secret: who[1] }))
  if (json !== undefined) sent.set('content-type', 'application/json')
  const parcel = new FormData()
  for (const part of parts ?? []) {
    if (part.file === undefined) parcel.append(part.name, part.json)
    else parcel.append(part.name, new Blob([Uint8Array.from(file)]), part.file)
  }
  const fields = form && new URLSearchParams(form.map(([name, value]): [string, string] => [name, value]))
  const body = json ?? fields ?? (parts && parcel)
  return fetch(url, { method, headers: sent, ...(body === undefined ? {} : { body }) })
}

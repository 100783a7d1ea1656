import type { DocsAddresses } from '../addresses.ts'
import type { CodeRequest } from '../assets/request-code.mjs'
import { demoCredentials, type RequestExample } from './examples.ts'
import { type Call, type Parameter, schemeOf } from './openapi.ts'

export type Credentials = Record<string, Record<string, string>>

/** Placeholders for credentials that only the reader has. `reference.js` uses the same. */
const placeholders: Credentials = {
  sws: { credential: '<credential>' },
  bearer: { token: '<token>' },
  client: { id: '<client_id>', secret: '<client_secret>' },
}

/** The demo's credentials are published, so examples use them; elsewhere they have placeholders. */
export const credentialsOf = ({ isDemo }: DocsAddresses): Credentials => (isDemo ? demoCredentials : {})

/** OAuth endpoints belong to the authorization server, which may have its own origin. */
export function originOf({ path }: Call, { baseUrl, authUrl }: DocsAddresses): string {
  return /^\/(api\/iam|\.well-known)\//.test(path) ? authUrl : baseUrl
}

/** The example of a call as a request to this origin. */
export function exampleRequest(
  call: Call,
  origin: string,
  example: RequestExample,
  credentials: Credentials,
): CodeRequest {
  const scheme = schemeOf(call) ?? ''
  const who = { ...placeholders[scheme], ...credentials[scheme] }
  const { parameters: values = {}, json, form, parts } = example
  const pairsOf = (place: Parameter['in']) =>
    (call.parameters ?? []).flatMap(({ name, in: at }): [string, string][] => {
      const value = values[name]
      return at === place && value !== undefined ? [[name, value]] : []
    })
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const query = new URLSearchParams(pairsOf('query')).toString()
  const files = Object.entries(parts?.files ?? {}).map(([name, file]) => ({ name, file }))
  const authorization: [string, string][] =
    scheme === 'sws'
      ? [['Authorization', `SWS ${who['credential']}`]]
      : scheme === 'bearer'
        ? [['Authorization', `Bearer ${who['token']}`]]
        : []
  return {
    method: call.method,
    url: `${origin}${path}${query === '' ? '' : `?${query}`}`,
    headers: [...authorization, ...pairsOf('header')],
    basic: scheme === 'client' ? [who['id'] ?? '', who['secret'] ?? ''] : undefined,
    json: json === undefined ? undefined : pretty(json),
    form: form === undefined ? undefined : Object.entries(form),
    parts: parts && [{ name: 'application', json: pretty(parts.application) }, ...files],
  }
}

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

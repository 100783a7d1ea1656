import type { Call, Parameter } from './openapi.ts'
import { schemeOf } from './openapi.ts'
import type { RequestExample } from './reference-examples.ts'

/** Placeholders for credentials that only the reader has. `reference.js` builds the same command from its form. */
export const credentialPlaceholders: Record<string, Record<string, string>> = {
  sws: { credential: '<credential>' },
  bearer: { token: '<token>' },
  client: { id: '<client_id>', secret: '<client_secret>' },
}

/** The example request as a shell command. */
export function curlCommand(
  call: Call,
  origin: string,
  example: RequestExample,
  credentials: Record<string, Record<string, string>>,
): string {
  const scheme = schemeOf(call) ?? ''
  const who = { ...credentialPlaceholders[scheme], ...credentials[scheme] }
  const { parameters: values = {}, json, form = {}, parts } = example
  const of = (place: Parameter['in']) =>
    (call.parameters ?? []).filter(
      parameter => parameter.in === place && values[parameter.name] !== undefined,
    )
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const asked = of('query').map(({ name }): [string, string] => [name, values[name] ?? ''])
  const query = new URLSearchParams(asked).toString()
  const files = Object.entries(parts?.files ?? {})
  const words = [
    'curl',
    // curl sends a POST by default when there is a body.
    ...(call.method === (hasBody(example) ? 'POST' : 'GET') ? [] : ['-X', call.method]),
    quoted(`${origin}${path}${query === '' ? '' : `?${query}`}`),
    ...(scheme === 'sws' ? ['-H', quoted(`Authorization: SWS ${who['credential']}`)] : []),
    ...(scheme === 'bearer' ? ['-H', quoted(`Authorization: Bearer ${who['token']}`)] : []),
    ...(scheme === 'client' ? ['-u', quoted(`${who['id']}:${who['secret']}`)] : []),
    ...of('header').flatMap(({ name }) => ['-H', quoted(`${name}: ${values[name]}`)]),
    ...(json === undefined
      ? []
      : ['-H', quoted('Content-Type: application/json'), '-d', quoted(pretty(json))]),
    ...Object.entries(form).flatMap(([name, value]) => ['--data-urlencode', quoted(`${name}=${value}`)]),
    ...(parts === undefined
      ? []
      : ['-F', quoted(`application=${JSON.stringify(parts.application)};type=application/json`)]),
    ...files.flatMap(([name, file]) => ['-F', quoted(`${name}=@${file}`)]),
  ]
  return words.join(' ')
}

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

const hasBody = ({ json, form, parts }: RequestExample) => (json ?? form ?? parts) !== undefined

/** Quotes a value as one shell word. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

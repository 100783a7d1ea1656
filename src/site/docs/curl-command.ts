import type { Call, Parameter } from './openapi.ts'
import { schemeOf } from './openapi.ts'
import type { RequestExample } from './reference-examples.ts'

/** What stands for a credential that only the reader has. `reference.js` writes the same command from its form. */
export const credentialPlaceholders: Record<string, Record<string, string>> = {
  sws: { credential: '<credential>' },
  bearer: { token: '<token>' },
  client: { id: '<client_id>', secret: '<client_secret>' },
}

/** The request of the example as a command for a shell. */
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
    // curl finds out by itself that something with a body is a POST.
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

/** One word of a shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

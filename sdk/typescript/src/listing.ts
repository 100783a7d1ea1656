import { type Call, jsonOf, type Transport } from './transport.ts'

/** Everything of a list, ascending by ID. A page is requested when the loop needs it. */
export async function* listById<Entry extends { id: number }>(
  transport: Transport,
  call: Call,
  key: string,
  filters: Record<string, string> = {},
): AsyncGenerator<Entry, void, undefined> {
  let afterId = 0
  for (let isLast = false; !isLast; ) {
    const path = `${call.path}?${new URLSearchParams({ ...filters, afterId: String(afterId) })}`
    const entries = await transport.send({ ...call, path }, async response => {
      isLast = !/;\s*rel="?next"?/.test(response.headers.get('link') ?? '')
      return (await jsonOf<Record<string, Entry[]>>(response))[key] ?? []
    })
    yield* entries
    const last = entries.at(-1)
    if (last === undefined) return
    afterId = last.id
  }
}

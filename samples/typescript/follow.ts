// Follows what happens to an advertiser, without gap or repetition, until you stop it. The SDK has more of it.
// The store is the cursor: each answer with events is a file, and the newest one says where to continue.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const url = process.env['DOSSIER_URL'] ?? 'http://localhost:8080'
const credential = process.env['SWS_CREDENTIAL'] ?? 'sws_demo_harbour'
const store = process.env['STORE'] ?? 'events'
/** Reported back for each new application, such as `viewed`. */
const state = process.env['REPORT']

interface Page {
  events: { id: string; type: string; timestamp: string; data: { applicationId?: number } }[]
  cursor: string
}

/** Repeats until there is an answer: a report that arrives twice changes nothing. */
async function report({ events }: Page): Promise<void> {
  const entries = events
    .filter(({ type }) => type === 'application.created')
    .map(({ data: { applicationId }, timestamp }) => ({ applicationId, state, at: timestamp }))
  if (state === undefined || entries.length === 0) return
  for (;;) {
    const response = await fetch(`${url}/v1/advertiser/progress`, {
      method: 'POST',
      headers: { authorization: `SWS ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ entries }),
      signal: AbortSignal.timeout(60_000),
    }).catch(() => undefined)
    if (response?.ok) return
    if (response !== undefined && response.status !== 429 && response.status < 500)
      throw new Error(`${response.status} ${await response.text()}`)
    await pause(1000 * Number(response?.headers.get('retry-after') ?? 1))
  }
}

mkdirSync(store, { recursive: true })
let last = Math.max(0, ...readdirSync(store).map(name => Number(/^(\d+)\.json$/.exec(name)?.[1] ?? 0)))
const stored = last === 0 ? undefined : (JSON.parse(readFileSync(`${store}/${last}.json`, 'utf8')) as Page)
let cursor = stored?.cursor ?? 'now'

for (;;) {
  const headers = { authorization: `SWS ${credential}` }
  let response: Response
  let body: string
  try {
    response = await fetch(`${url}/v1/advertiser/events?cursor=${cursor}&wait=${last === 0 ? 0 : 45}`, {
      headers,
      signal: AbortSignal.timeout(60_000),
    })
    body = await response.text()
  } catch {
    await pause(1000)
    continue
  }
  if (response.status === 410) {
    console.error('Some events are no longer kept: read the list of applications once.')
    cursor = 'start'
  } else if (response.status === 429 || response.status >= 500) {
    await pause(1000 * Number(response.headers.get('retry-after') ?? 1))
  } else if (response.status !== 200) {
    throw new Error(`${response.status} ${body}`)
  } else {
    const page = JSON.parse(body) as Page
    // Nothing has happened. The first answer, which comes at once, is stored all the same: following begins there.
    if (page.events.length === 0 && last > 0) {
      await pause(1000)
      continue
    }
    await report(page)
    last += 1
    // A rename is atomic: events and cursor are stored in one step.
    writeFileSync(`${store}/new`, body)
    renameSync(`${store}/new`, `${store}/${last}.json`)
    cursor = page.cursor
    for (const { id, type } of page.events) console.log(`${id} ${type}`)
  }
}

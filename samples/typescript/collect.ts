// One round of a poller that never misses or repeats one: start it every minute.
// The store is the cursor: a line for each application, and the last line says where to go on.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const url = process.env['DOSSIER_URL'] ?? 'http://localhost:8080'
const credential = process.env['SWS_CREDENTIAL'] ?? 'sws_demo_harbour'
const store = process.env['STORE'] ?? 'applications'

interface Application {
  ID: number
  Attachments: { Type: string; Href: string }[]
}

/** Reading changes nothing here, so whatever failed for a while is simply asked again. */
async function ask(path: string, tries = 8) {
  for (let left = tries, seconds = 1; ; left--, seconds *= 2) {
    try {
      const response = await fetch(`${url}/v1/${path}`, { headers: { authorization: `SWS ${credential}` } })
      // The body belongs to it: a connection may break half-way.
      const body = Buffer.from(await response.arrayBuffer())
      const isPassing = response.status === 429 || response.status >= 500
      if (!isPassing || left === 1) return { status: response.status, headers: response.headers, body }
      await pause(1000 * Number(response.headers.get('retry-after') ?? seconds))
    } catch (error) {
      if (left === 1) throw error
      await pause(1000 * seconds)
    }
  }
}

function readStore(file: string): Application[] {
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  // What a crash left half-written was never stored.
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole))
  return whole
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

mkdirSync(`${store}/files`, { recursive: true })
const file = `${store}/applications.ndjson`
const stored = readStore(file)

for (let more = true; more; ) {
  const after = stored.at(-1)?.ID ?? 0
  const { status, headers, body } = await ask(`advertiser/applications?afterid=${after}&limit=500`)
  if (status !== 200) throw new Error(`${status} ${body}`)
  const page: Application[] = JSON.parse(body.toString()).JobApplications.JobApplicationsList
  appendFileSync(file, page.map(application => `${JSON.stringify(application)}\n`).join(''), { flush: true })
  stored.push(...page)
  if (page.length > 0) console.log(`stored up to ${page.at(-1)?.ID}`)
  more = headers.get('link')?.includes('rel="next"') === true
}

// Files come after: one that is held by the virus scanner must not hold up the rest.
for (const { ID, Attachments } of stored) {
  for (const { Type, Href } of Attachments) {
    const path = `${store}/files/${ID}-${Type}`
    if (existsSync(path)) continue
    const { status, headers, body } = await ask(Href, 1)
    if (status !== 200) console.error(`${Href}: ${status}, in the next round`)
    else {
      if (headers.get('x-has-virus') === 'true') console.error(`${Href}: was infected, and has no content`)
      writeFileSync(`${path}.part`, body)
      renameSync(`${path}.part`, path)
    }
  }
}

// Runs one round of a poller that never misses or repeats an application. Run it every minute.
// The store is the cursor: one line per application, and the last line says where to continue.
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
  FirstName: string
  LastName: string
  Attachments: { Type: string; Href: string; HasVirus: boolean | null }[]
}

/** Reading changes nothing, so every request that failed temporarily can be retried. */
async function ask(path: string, tries = 8) {
  for (let left = tries, seconds = 1; ; left--, seconds *= 2) {
    try {
      const response = await fetch(`${url}/v1/${path}`, { headers: { authorization: `SWS ${credential}` } })
      // Reading the body is part of the attempt, because the connection may break half-way.
      const body = Buffer.from(await response.arrayBuffer())
      const isHeld = body.includes('"not-yet-scanned"')
      const isPassing = response.status === 429 || (response.status >= 500 && !isHeld)
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
  // A crash in the middle of a write leaves half a line, which does not count as stored.
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole))
  return whole
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

/** Returns the name under which the file was sent, without anything that could lead out of its folder. */
function nameIn(disposition: string): string {
  const [, encoded] = /filename\*=UTF-8''([^;]*)/.exec(disposition) ?? []
  const [, quoted, bare] = /filename=(?:"([^"]*)"|([^;]*))/.exec(disposition) ?? []
  const name = encoded === undefined ? (quoted ?? bare ?? '') : decodeURIComponent(encoded)
  return name.replace(/^\.+|[/\\:*?"<>|\p{Cc}]/gu, '_') || 'file'
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
  for (const { ID, FirstName, LastName, Attachments } of page) {
    const types = Attachments.map(({ Type, HasVirus }) => Type + (HasVirus === true ? ' (infected)' : ''))
    console.log(`${ID} ${FirstName} ${LastName}: ${types.join(', ') || 'no attachments'}`)
  }
  more = headers.get('link')?.includes('rel="next"') === true
}

// Files come after the list, so that one the virus scanner holds back does not delay the rest.
for (const { ID, Attachments } of stored) {
  for (const { Type, Href, HasVirus } of Attachments) {
    // Each file has its own folder: candidates choose the names, and two files may have the same one.
    const folder = `${store}/files/${ID}-${Type}`
    if (HasVirus === true || existsSync(folder)) continue
    const { status, headers, body } = await ask(Href, 2)
    const isInfected = headers.get('x-has-virus') === 'true'
    const isGone = status === 404 || (status === 403 && body.includes('"file-not-judged"'))
    if (status !== 200 && !isGone) {
      console.error(`${Href}: ${status}, trying again in the next round`)
      continue
    }
    // An empty folder means that there is nothing left to download.
    mkdirSync(`${folder}.part`, { recursive: true })
    if (isGone || isInfected) console.error(`${Href}: ${isInfected ? 'infected' : status}, skipped`)
    else {
      const name = nameIn(headers.get('content-disposition') ?? 'filename=screen.json')
      writeFileSync(`${folder}.part/${name}`, body)
    }
    renameSync(`${folder}.part`, folder)
  }
}
